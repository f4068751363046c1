import { accessSync, constants } from 'node:fs'
import type { Host, ProcessExit, Sandbox, SpawnError } from '@parley/host'
import type { BoundedRun, BoundedRunOutcome } from './run-bounded.ts'

type Stop = 'output' | 'time' | 'signal'

const maxStderrBytes = 8 * 1024

/** As `runBounded`, in a sandbox. */
export async function runConfined(
  host: Pick<Host, 'spawnProcess'>,
  sandbox: Sandbox,
  run: BoundedRun,
): Promise<BoundedRunOutcome> {
  let stopped: Stop | null = null
  let exit: ProcessExit | null = null
  let stderr = ''
  const spec = { argv: boundedMemory(run.command), cwd: run.cwd, env: {}, terminal: null, pipeStdin: false }
  const process = host.spawnProcess(spec, {
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

/** KiB. A repository may hold an ignore file that never ends, such as a link to `/dev/zero`, and all of it would be kept. */
const maxMemory = 1024 ** 2

/** A program that is not there is started as it is, so that this is what is said. */
function boundedMemory(command: BoundedRun['command']): readonly string[] {
  const [program] = command
  try {
    accessSync(program, constants.X_OK)
  } catch {
    return command
  }
  return ['/bin/sh', '-c', `ulimit -d ${maxMemory} 2>/dev/null; exec "$@"`, program, ...command]
}

function outcomeOf(failure: SpawnError | null, exit: ProcessExit | null, stderr: string): BoundedRunOutcome {
  const broken = failure ?? exit?.spawnError ?? null
  if (broken !== null) return { kind: 'notStarted', reason: broken.message }
  // Without an exit it was never told how it ended, which must not read as "nothing found".
  return { kind: 'exited', exitCode: exit?.exitCode ?? null, stderr }
}
