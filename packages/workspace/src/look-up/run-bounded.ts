import { type ChildProcess, spawn } from 'node:child_process'
import { systemErrorReason } from '../files/errors.ts'

export interface BoundedRun {
  /** Program and arguments, started as they are: no shell, no environment. */
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  /** Real path of what it is to look at. */
  readonly looksAt: string
  readonly timeLimitMs: number
  readonly signal?: AbortSignal
  /** Gets stdout as it comes; answers false when it wants no more, which ends the program. */
  readonly onOutput: (chunk: Buffer) => boolean
}

export type BoundedRunOutcome =
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly stderr: string }
  | { readonly kind: 'stopped'; readonly by: 'output' | 'time' | 'signal' }
  | { readonly kind: 'notStarted'; readonly reason: string }

type Stop = 'output' | 'time' | 'signal'

const maxStderrBytes = 8 * 1024

/** Runs a look-up program with a bound on its output and its time; it is dead when this resolves. */
export async function runBounded(run: BoundedRun): Promise<BoundedRunOutcome> {
  if (run.signal?.aborted) return { kind: 'stopped', by: 'signal' }
  const [program, ...args] = run.command
  let child: ChildProcess
  try {
    child = spawn(program, args, { cwd: run.cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return { kind: 'notStarted', reason: systemErrorReason(error) }
  }
  return superviseChild(child, run)
}

function superviseChild(child: ChildProcess, run: BoundedRun): Promise<BoundedRunOutcome> {
  return new Promise((settle) => {
    let stopped: Stop | null = null
    let stderr = ''
    const stop = (by: Stop): void => {
      stopped ??= by
      child.kill('SIGKILL')
    }
    const onAbort = (): void => stop('signal')
    const timer = setTimeout(stop, run.timeLimitMs, 'time')
    run.signal?.addEventListener('abort', onAbort, { once: true })
    const finish = (outcome: BoundedRunOutcome): void => {
      clearTimeout(timer)
      run.signal?.removeEventListener('abort', onAbort)
      settle(outcome)
    }
    child.stdout?.on('data', (chunk: Buffer) => {
      if (stopped === null && !run.onOutput(chunk)) stop('output')
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < maxStderrBytes) stderr += chunk.toString('utf8')
    })
    child.on('error', (error) => {
      if (child.pid === undefined) finish({ kind: 'notStarted', reason: systemErrorReason(error) })
    })
    child.on('close', (exitCode) => {
      finish(stopped === null ? { kind: 'exited', exitCode, stderr } : { kind: 'stopped', by: stopped })
    })
  })
}
