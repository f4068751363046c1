import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import type { Host, ProcessExit, Sandbox, Sandboxes, SpawnError } from '@parley/host'
import { errorMessage } from '@parley/text'
import { systemErrorReason } from '../files/errors.ts'
import { realPathOf } from '../files/real-path.ts'
import type { SecretPaths } from '../files/secret-paths.ts'
import {
  type BoundedEnd,
  type Ripgrep,
  type RipgrepOutcome,
  type RipgrepRun,
  ripgrepLimits,
  runBounded,
} from './ripgrep-run.ts'

interface LocalRipgrepParts {
  readonly host: Pick<Host, 'spawnProcess'>
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPaths>
  /** Absolute path of the ripgrep bundled with parley. */
  readonly ripgrep: string
}

/** Returns the bundled ripgrep, run in a read-only sandbox where this machine can enforce one. */
export function localRipgrep(parts: LocalRipgrepParts): Ripgrep {
  return { command: [parts.ripgrep], run: (run) => runHere(parts, run) }
}

async function runHere({ host, sandboxes, secrets }: LocalRipgrepParts, run: RipgrepRun): Promise<RipgrepOutcome> {
  if ((await sandboxes.report()).enforcement === 'none') return runUnconfined(run)
  try {
    const resolved = await withRealProgram(run)
    const sandbox = await sandboxes.prepare(ripgrepLimits(resolved, await secrets()))
    const outcome = await runConfined(host, sandbox, resolved)
    if (outcome.kind === 'notStarted') void sandboxes.recheck()
    return outcome
  } catch (error) {
    return { kind: 'notStarted', reason: errorMessage(error) }
  }
}

/** Resolves links in the path of the program: the sandbox mounts real paths only. */
async function withRealProgram(run: RipgrepRun): Promise<RipgrepRun> {
  const [program, ...args] = run.command
  return { ...run, command: [await realPathOf(program), ...args] }
}

/** Runs ripgrep without a sandbox. The process is dead when the promise resolves. */
export function runUnconfined(run: RipgrepRun): Promise<RipgrepOutcome> {
  return runBounded(run, (takeOutput) => {
    const [program, ...args] = run.command
    let child: ChildProcess
    try {
      child = spawn(program, args, { cwd: run.cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
    } catch (error) {
      return { kill: () => undefined, ended: Promise.resolve(notStarted(systemErrorReason(error))) }
    }
    child.stdout?.on('data', (chunk: Buffer) => takeOutput('stdout', chunk))
    child.stderr?.on('data', (chunk: Buffer) => takeOutput('stderr', chunk))
    return { kill: () => void child.kill('SIGKILL'), ended: endOfChild(child) }
  })
}

function endOfChild(child: ChildProcess): Promise<BoundedEnd> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(notStarted(systemErrorReason(error)))
    })
    child.on('close', (exitCode) => resolve({ kind: 'exited', exitCode }))
  })
}

function runConfined(host: Pick<Host, 'spawnProcess'>, sandbox: Sandbox, run: RipgrepRun): Promise<RipgrepOutcome> {
  return runBounded(run, (takeOutput) => {
    let exit: ProcessExit | null = null
    const spec = { argv: withMemoryLimit(run.command), cwd: run.cwd, env: {}, terminal: null, pipeStdin: false }
    const process = host.spawnProcess(spec, {
      sandbox,
      onOutput: (stream, chunk) => takeOutput(stream === 'stdout' ? 'stdout' : 'stderr', chunk),
      onExit(found) {
        exit = found
      },
    })
    const wait = async () => {
      const failure = await process.started
      await process.closed
      return endOfConfined(failure, exit)
    }
    return { kill: () => process.kill(), ended: wait() }
  })
}

/** KiB. Ripgrep reads ignore files whole, and a repository may link one to `/dev/zero`. */
const memoryLimit = 1024 ** 2

/** Leaves a missing program without the limit, so that the failure names the program and not the shell. */
function withMemoryLimit(command: RipgrepRun['command']): readonly string[] {
  const [program] = command
  try {
    accessSync(program, constants.X_OK)
  } catch {
    return command
  }
  return ['/bin/sh', '-c', `ulimit -d ${memoryLimit} 2>/dev/null; exec "$@"`, program, ...command]
}

function endOfConfined(failure: SpawnError | null, exit: ProcessExit | null): BoundedEnd {
  const broken = failure ?? exit?.spawnError ?? null
  // A missing exit code is null and not 1, which would read as "nothing found".
  return broken === null ? { kind: 'exited', exitCode: exit?.exitCode ?? null } : notStarted(broken.message)
}

function notStarted(reason: string): BoundedEnd {
  return { kind: 'notStarted', reason }
}
