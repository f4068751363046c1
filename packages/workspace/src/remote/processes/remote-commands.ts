import {
  type CommandEnd,
  type CommandSpec,
  captureOutput,
  createStopLadder,
  isSignalExitCode,
  type OutputSnapshot,
  type RunningCommand,
  type SandboxLimits,
  type SpawnError,
  type StartOptions,
  type StopCause,
  type StopReason,
} from '@parley/host'
import { type BoundedEnd, type RipgrepOutcome, type RipgrepRun, runBounded } from '../../look-up/ripgrep-run.ts'
import type { ExecLink } from '../link.ts'
import type { RemoteEnd } from './remote-end.ts'
import { RemoteProcess } from './remote-process.ts'

const maxTimerMs = 2 ** 31 - 1

/** Shell prefix that joins stderr to stdout, so that output keeps its order. */
const joinOutputs = ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh'] as const

/** Runs a command on the remote machine like `Host.runCommand`. Output is captured on this machine. */
export function startRemoteCommand(link: ExecLink, spec: CommandSpec, options: StartOptions): RunningCommand {
  return runRemoteCommand(link, spec, { ...options, ageMs: null })
}

/**
 * Starts a command on the remote machine, or goes on with one that runs there. `ageMs`: time that it has run; null
 * starts it.
 */
export function runRemoteCommand(
  link: ExecLink,
  spec: CommandSpec,
  { onOutput, sandbox, ageMs }: StartOptions & { readonly ageMs: number | null },
): RunningCommand {
  const startedMs = performance.now() - (ageMs ?? 0)
  const captured = captureOutput(spec, onOutput)
  let stopped: StopCause | null = null
  const process = new RemoteProcess(link, {
    argv: [...joinOutputs, ...spec.argv],
    cwd: spec.cwd,
    env: spec.env,
    limits: sandbox.limits,
    ...(sandbox.loopback === undefined ? {} : { loopback: sandbox.loopback }),
    ...(spec.name === undefined ? {} : { name: spec.name }),
    isRunning: ageMs !== null,
    ...(spec.input === undefined ? {} : { input: spec.input }),
    onOutput: captured.take,
  })
  const ladder = createStopLadder((rung) => {
    if (rung === 'SIGINT') process.signal('interrupt')
    else if (rung === 'SIGTERM') process.signal('terminate')
    else if (rung === 'SIGKILL') process.kill()
    else process.abandon('it was told to stop, and nothing was heard of it since')
  })
  const climb = (cause: StopCause) => {
    stopped ??= cause
    ladder.climb(cause)
  }
  const stop = (reason: StopReason) => {
    if (reason !== 'handOver') climb(reason)
    else if (spec.name === undefined || !link.outlivesServer) climb('shutdown')
    else process.leave()
  }
  const leftMs = spec.timeoutMs === undefined ? undefined : Math.max(0, spec.timeoutMs - (ageMs ?? 0))
  const timer = leftMs === undefined ? undefined : setTimeout(climb, Math.min(leftMs, maxTimerMs), 'timedOut')
  const ended = process.ended.then((end) => {
    clearTimeout(timer)
    ladder.close()
    // The output goes on, so the filter may hold bytes back.
    if (end.kind === 'left') captured.discardSpool()
    const spooled = end.kind === 'left' ? undefined : captured.close(isCut(end, stopped))
    const durationMs = performance.now() - startedMs
    if (end.kind === 'ended' && end.exchanged.length > 0) sandbox.tell?.(end.exchanged)
    return {
      ...endOf(end, { ...captured.snapshot(), durationMs }, stopped),
      ...(spooled === undefined ? {} : { spool: spooled }),
    }
  })
  const runOn = () => {
    clearTimeout(timer)
    captured.discardSpool()
  }
  return {
    pid: null,
    mark: spec.mark,
    stop,
    runOn,
    output: captured.snapshot,
    started: process.started,
    input: process.input(),
    listen: captured.listen,
    ended,
  }
}

/** Returns true where output may be missing at the end. */
function isCut(end: RemoteEnd, stopped: StopCause | null): boolean {
  return stopped !== null || end.kind === 'lost' || (end.kind === 'ended' && isSignalExitCode(end.exitCode))
}

function spawnErrorOf({ why, sandboxBroke }: Extract<RemoteEnd, { kind: 'notStarted' }>): SpawnError {
  return sandboxBroke
    ? { code: 'ENOSYS', message: why, subject: 'sandbox' }
    : { code: 'ENOLINK', message: why, subject: 'system' }
}

function endOf(
  end: RemoteEnd,
  common: OutputSnapshot & Pick<CommandEnd, 'durationMs'>,
  stopped: StopCause | null,
): CommandEnd {
  const nothing = { ...common, exitCode: null, signal: null, leftovers: 0 }
  switch (end.kind) {
    case 'ended':
      return {
        ...nothing,
        exitCode: end.exitCode,
        reason: stopped ?? 'exited',
        ...(end.triedNetwork ? { triedNetwork: true } : {}),
        ...(end.exchanged.length === 0 ? {} : { exchanged: end.exchanged }),
      }
    case 'lost':
      return { ...nothing, reason: 'lost', lostBecause: end.why }
    case 'left':
      return { ...nothing, reason: 'left' }
    case 'notStarted':
      // A signal while its sandbox was being set up is no failure of the sandbox.
      if (end.sandboxBroke && stopped !== null) return { ...nothing, reason: stopped }
      return { ...nothing, reason: 'spawnFailed', spawnError: spawnErrorOf(end) }
  }
}

/** Runs ripgrep on the remote machine, within the bounds of `run`. `limits` null: unconfined. */
export function runRemoteRipgrep(
  link: ExecLink,
  limits: SandboxLimits | null,
  run: RipgrepRun,
): Promise<RipgrepOutcome> {
  return runBounded(run, (takeOutput) => {
    const process = new RemoteProcess(link, {
      argv: run.command,
      cwd: run.cwd,
      env: {},
      limits,
      isRunning: false,
      onOutput: (chunk, stream) => takeOutput(stream === 'stderr' ? 'stderr' : 'stdout', chunk),
    })
    const kill = () => {
      process.kill()
      // Ripgrep changes nothing, so its exit need not be awaited.
      process.abandon('it was stopped')
    }
    return { kill, ended: process.ended.then(boundedEnd) }
  })
}

function boundedEnd(end: RemoteEnd): BoundedEnd {
  if (end.kind === 'ended') return { kind: 'exited', exitCode: end.exitCode }
  return { kind: 'notStarted', reason: end.kind === 'left' ? 'it was left running' : end.why }
}
