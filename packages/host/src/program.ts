import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { SpawnError } from './command.ts'
import type { Guard } from './guard.ts'
import { createMark, markVariable } from './mark.ts'
import { signalGroup } from './signals.ts'
import { explainSpawnFailure } from './spawn-failure.ts'
import { killLeftovers } from './sweep.ts'

/** A program that stays and is talked with over its stdin and stdout, such as an MCP server. */
export interface ProgramSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface ProgramEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** It could not be started. */
  readonly spawnError?: SpawnError
}

export interface RunningProgram {
  /** Null when it could not be started. */
  readonly pid: number | null
  /** Null, all three, when it could not be started. An error on one of them tells nothing that `ended` does not. */
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** When it has gone and all that it started was killed. */
  readonly ended: Promise<ProgramEnd>
  /** Closes its input; TERM to its group after `graceMs`, KILL 700 ms later. A later call with less grace counts. */
  stop(graceMs: number): Promise<ProgramEnd>
}

const killAfterMs = 700

/** Its own session, its tree marked and known to the guard: when we are killed it goes as well. */
export function startProgram(spec: ProgramSpec, guard: Guard): RunningProgram {
  const mark = createMark()
  const startedMs = performance.now()
  const [program = '', ...args] = spec.argv
  const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>()
  const fail = (error: unknown) => {
    guard.release(mark)
    const spawnError = explainSpawnFailure(error, spec)
    resolve({ exitCode: null, signal: null, spawnError })
  }
  guard.watch(mark)
  let child: ChildProcessWithoutNullStreams
  try {
    const env = { ...spec.env, [markVariable]: mark }
    child = spawn(program, args, { cwd: spec.cwd, env, detached: true, stdio: 'pipe' })
  } catch (error) {
    fail(error)
    return { pid: null, stdin: null, stdout: null, stderr: null, ended, stop: () => ended }
  }
  const { pid } = child
  child.once('error', (error) => {
    if (pid === undefined) fail(error)
  })
  // EPIPE and the like when it has gone, which 'exit' tells.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined)
  if (pid === undefined) return { pid: null, stdin: null, stdout: null, stderr: null, ended, stop: () => ended }
  guard.adopt(mark, pid)
  child.once('exit', (exitCode, signal) => {
    killLeftovers({ groupId: pid, mark, groupAlive: signalGroup(pid, 0), ageMs: performance.now() - startedMs })
    guard.release(mark)
    resolve({ exitCode, signal })
  })
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    stop: stopper(child, pid, ended),
  }
}

function stopper(
  child: ChildProcessWithoutNullStreams,
  groupId: number,
  ended: Promise<ProgramEnd>,
): RunningProgram['stop'] {
  let term: NodeJS.Timeout | undefined
  let kill: NodeJS.Timeout | undefined
  void ended.then(() => {
    clearTimeout(term)
    clearTimeout(kill)
  })
  return (graceMs) => {
    child.stdin.end()
    clearTimeout(term)
    term = setTimeout(() => {
      signalGroup(groupId, 'SIGTERM')
      signalGroup(groupId, 'SIGCONT')
      kill ??= setTimeout(() => signalGroup(groupId, 'SIGKILL'), killAfterMs)
    }, graceMs)
    return ended
  }
}
