import type { Host, ProcessExit, Sandbox, SpawnError } from '@parley/host'
import type { BoundedRun, BoundedRunOutcome } from './run-bounded.ts'

type Stop = 'output' | 'time' | 'signal'

const maxStderrBytes = 8 * 1024

/** As `runBounded`, in a sandbox. */
export async function runConfined(
  host: Pick<Host, 'startProcess'>,
  sandbox: Sandbox,
  run: BoundedRun,
): Promise<BoundedRunOutcome> {
  let stopped: Stop | null = null
  let exit: ProcessExit | null = null
  let stderr = ''
  const spec = { argv: run.command, cwd: run.cwd, env: {}, terminal: null, pipeStdin: false }
  const process = host.startProcess(spec, {
    sandbox,
    onOutput(stream, chunk) {
      if (stream === 'stdout') {
        if (stopped === null && !run.onOutput(chunk)) stop('output')
      } else if (stderr.length < maxStderrBytes) stderr += chunk.toString('utf8')
    },
    onExit(found) {
      exit = found
    },
  })
  function stop(by: Stop): void {
    stopped ??= by
    process.kill()
  }
  const onAbort = () => stop('signal')
  const timer = setTimeout(stop, run.timeLimitMs, 'time')
  run.signal?.addEventListener('abort', onAbort, { once: true })
  if (run.signal?.aborted) stop('signal')
  const failure = await process.started
  await process.closed
  clearTimeout(timer)
  run.signal?.removeEventListener('abort', onAbort)
  if (stopped !== null) return { kind: 'stopped', by: stopped }
  return outcomeOf(failure, exit, stderr)
}

function outcomeOf(failure: SpawnError | null, exit: ProcessExit | null, stderr: string): BoundedRunOutcome {
  const broken = failure ?? exit?.spawnError ?? null
  if (broken !== null) return { kind: 'notStarted', reason: broken.message }
  // Without an exit it was never told how it ended, which must not read as "nothing found".
  return { kind: 'exited', exitCode: exit?.exitCode ?? null, stderr }
}
