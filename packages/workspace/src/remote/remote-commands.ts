import {
  type CommandEnd,
  type CommandSpec,
  createLateSpool,
  createOutputWindow,
  createStopLadder,
  type EndReason,
  filterOutput,
  isSignalExitCode,
  type OutputSnapshot,
  type RunningCommand,
  type SpawnError,
  type StartOptions,
  type StopReason,
} from '@parley/host'
import type { Link } from './link.ts'
import { type RemoteEnd, RemoteProcess } from './remote-process.ts'

const defaultWindowBytes = 128 * 1024
const maxTimerMs = 2 ** 31 - 1

/** Both outputs on one stream, so that they come in the order they were written; what is run is what follows. */
const joinOutputs = ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh'] as const

/** Runs a command on the far side as a `Host` does here. What it says is kept here. */
export function startRemoteCommand(link: Link, spec: CommandSpec, options: StartOptions): RunningCommand {
  const { onOutput, sandbox } = options
  const startedMs = performance.now()
  const window = createOutputWindow(spec.headBytes ?? defaultWindowBytes, spec.tailBytes ?? defaultWindowBytes)
  const spool = spec.spool === undefined ? undefined : createLateSpool(spec.spool)
  const filtered = filterOutput(spec.filter, (chunk) => {
    window.push(chunk)
    spool?.write(chunk)
    onOutput?.(chunk, window.totalBytes())
  })
  let stopped: StopReason | 'timedOut' | null = null
  const process = new RemoteProcess(link, {
    argv: [...joinOutputs, ...spec.argv],
    cwd: spec.cwd,
    env: spec.env,
    limits: sandbox.limits,
    onOutput: filtered.take,
  })
  const ladder = createStopLadder((rung) => {
    if (rung === 'SIGINT') process.signal('interrupt')
    else if (rung === 'SIGTERM') process.signal('terminate')
    else if (rung === 'SIGKILL') process.kill()
    else process.abandon('it was told to stop, and nothing was heard of it since')
  })
  const stop = (reason: StopReason | 'timedOut') => {
    stopped ??= reason
    ladder.climb(reason)
  }
  const timer =
    spec.timeoutMs === undefined ? undefined : setTimeout(stop, Math.min(spec.timeoutMs, maxTimerMs), 'timedOut')
  const ended = process.ended.then((end) => {
    clearTimeout(timer)
    ladder.close()
    filtered.end(stopped !== null || end.kind === 'lost' || (end.kind === 'ended' && isSignalExitCode(end.exitCode)))
    const spooled = spool?.close()
    const durationMs = performance.now() - startedMs
    return {
      ...endOf(end, { ...window.snapshot(), durationMs }, stopped),
      ...(spooled === undefined ? {} : { spool: spooled }),
    }
  })
  return { pid: null, mark: spec.mark, stop, output: window.snapshot, ended }
}

function spawnErrorOf({ why, sandboxBroke }: Extract<RemoteEnd, { kind: 'notStarted' }>): SpawnError {
  return sandboxBroke
    ? { code: 'ENOSYS', message: why, subject: 'sandbox' }
    : { code: 'ENOLINK', message: why, subject: 'system' }
}

/** What is known however it ended. */
type Known = OutputSnapshot & Pick<CommandEnd, 'durationMs'>

function endOf(
  end: RemoteEnd,
  known: Known,
  stopped: Exclude<EndReason, 'exited' | 'spawnFailed' | 'lost'> | null,
): CommandEnd {
  const nothing = { ...known, exitCode: null, signal: null, leftovers: 0 }
  switch (end.kind) {
    case 'ended':
      return {
        ...nothing,
        exitCode: end.exitCode,
        reason: stopped ?? 'exited',
        ...(end.triedNetwork ? { triedNetwork: true } : {}),
      }
    case 'lost':
      return { ...nothing, reason: 'lost', lostBecause: end.why }
    case 'notStarted':
      return { ...nothing, reason: 'spawnFailed', spawnError: spawnErrorOf(end) }
  }
}
