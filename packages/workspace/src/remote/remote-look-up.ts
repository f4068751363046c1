import type { SandboxLimits } from '@parley/host'
import type { BoundedRun, BoundedRunOutcome } from '../look-up/run-bounded.ts'
import type { Link } from './link.ts'
import { RemoteProcess } from './remote-process.ts'

type Stop = 'output' | 'time' | 'signal'

const maxStderrBytes = 8 * 1024

/** Runs a look-up program over there, with a bound on its output and its time. */
export async function runRemoteLookUp(
  link: Link,
  limits: SandboxLimits | null,
  run: BoundedRun,
): Promise<BoundedRunOutcome> {
  if (run.signal?.aborted) return { kind: 'stopped', by: 'signal' }
  let stopped: Stop | null = null
  let stderr = ''
  const process = new RemoteProcess(link, {
    argv: run.command,
    cwd: run.cwd,
    env: {},
    limits,
    onOutput(chunk, stream) {
      if (stream !== 'stderr') {
        if (stopped === null && !run.onOutput(chunk)) stop('output')
      } else if (stderr.length < maxStderrBytes) stderr += chunk.toString('utf8')
    },
  })
  function stop(by: Stop): void {
    stopped ??= by
    process.kill()
    // What it finds changes nothing, so there is nothing to wait for.
    process.abandon('it was stopped')
  }
  const onAbort = () => stop('signal')
  const timer = setTimeout(stop, run.timeLimitMs, 'time')
  run.signal?.addEventListener('abort', onAbort, { once: true })
  const end = await process.ended
  clearTimeout(timer)
  run.signal?.removeEventListener('abort', onAbort)
  if (stopped !== null) return { kind: 'stopped', by: stopped }
  return end.kind === 'ended'
    ? { kind: 'exited', exitCode: end.exitCode, stderr }
    : { kind: 'notStarted', reason: end.why }
}
