import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { noSandbox, outcomeOf, type Sandbox, sandboxFailure, signalInside } from '../sandbox/sandbox.ts'
import type { DescriptorShield } from '../system/descriptor-shield.ts'
import { createMark } from '../system/marks.ts'
import { signalGroup } from '../system/process-tree.ts'
import { explainSpawnFailure } from '../system/spawn-failure.ts'
import type { SpawnError } from './command.ts'
import type { Guard } from './crash-guard.ts'
import { type Launched, launch } from './launch.ts'
import { killLeftovers } from './sweep.ts'

/** A program that stays and is talked with over its stdin and stdout, such as an MCP server. */
export interface ProgramSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Released when it has ended. None unless told. */
  readonly sandbox?: Sandbox
}

export interface ProgramEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** It could not be started, or its sandbox could not be set up. */
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

export interface ProgramMachinery {
  readonly guard: Guard
  readonly shield: DescriptorShield
}

/** Its own session, its tree marked and known to the guard: when we are killed it goes as well. */
export function startProgram(spec: ProgramSpec, { guard, shield }: ProgramMachinery): RunningProgram {
  const mark = createMark()
  const startedMs = performance.now()
  const { argv, cwd, env, sandbox = noSandbox } = spec
  const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>()
  const leave = () => {
    guard.release(mark)
    sandbox.release?.()
  }
  const fail = (error: unknown) => {
    leave()
    resolve({ exitCode: null, signal: null, spawnError: explainSpawnFailure(error, spec) })
  }
  guard.watch(mark)
  let launched: Launched
  try {
    launched = launch({ argv, cwd, env, mark }, { sandbox, fds: ['pipe', 'pipe', 'pipe'], shield })
  } catch (error) {
    fail(error)
    return notStarted(ended)
  }
  const { child, watch } = launched
  const { pid } = child
  child.once('error', (error) => {
    if (pid === undefined) fail(error)
  })
  // EPIPE and the like when it has gone, which 'exit' tells.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined)
  if (pid === undefined) {
    watch?.close()
    return notStarted(ended)
  }
  guard.adopt(mark, pid)
  child.once('exit', (exitCode, signal) => {
    const ran = outcomeOf(watch)?.ran ?? true
    killLeftovers({ groupId: pid, mark, groupAlive: signalGroup(pid, 0), ageMs: performance.now() - startedMs })
    watch?.close()
    leave()
    resolve({ exitCode, signal, ...(ran ? {} : { spawnError: sandboxFailure(null) }) })
  })
  const send = (signal: NodeJS.Signals) => void (signalInside(watch, signal) || signalGroup(pid, signal))
  const { stdin, stdout, stderr } = child
  return { pid, stdin, stdout, stderr, ended, stop: stopper(child, send, ended) }
}

function notStarted(ended: Promise<ProgramEnd>): RunningProgram {
  return { pid: null, stdin: null, stdout: null, stderr: null, ended, stop: () => ended }
}

function stopper(
  child: ChildProcess,
  send: (signal: NodeJS.Signals) => void,
  ended: Promise<ProgramEnd>,
): RunningProgram['stop'] {
  let term: NodeJS.Timeout | undefined
  let kill: NodeJS.Timeout | undefined
  void ended.then(() => {
    clearTimeout(term)
    clearTimeout(kill)
  })
  return (graceMs) => {
    child.stdin?.end()
    clearTimeout(term)
    term = setTimeout(() => {
      send('SIGTERM')
      send('SIGCONT')
      kill ??= setTimeout(() => send('SIGKILL'), killAfterMs)
    }, graceMs)
    return ended
  }
}
