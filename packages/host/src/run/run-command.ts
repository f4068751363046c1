import { type Channels, inputBy } from '../channels/channels.ts'
import { openMergedChannels } from '../channels/fifo-channels.ts'
import { type CapturedOutput, captureOutput, type OutputListener } from '../output/captured-output.ts'
import { type Sandbox, sandboxFailure } from '../sandbox/sandbox.ts'
import { isUsableMark } from '../system/marks.ts'
import { isSignalExitCode } from '../system/signals.ts'
import { type SpawnError, SpawnFailedError, shellExitCode } from '../system/spawn-failure.ts'
import { type AwakeTimeout, awakeTimeout } from '../time/awake-timeout.ts'
import type { CommandEnd, CommandSpec, RunningCommand, StartOptions } from './command.ts'
import { openTerminal } from './launch.ts'
import type { StopCause, StopReason } from './stop-ladder.ts'
import { type ChildEnd, type Machinery, Supervisor } from './supervisor.ts'

function openChannels(
  spec: CommandSpec,
  sandbox: Sandbox,
  { fifos, inputFifos, shield }: Machinery,
): Channels | Promise<Channels> {
  const { input } = spec
  if (typeof input === 'object') return openTerminal(spec, { size: input, sandbox, shield })
  return openMergedChannels(fifos, input === 'pipe' ? inputFifos : null)
}

/** Runs a command with one FIFO for stdout and stderr, and captures its output within limits. */
export class CommandRun implements RunningCommand {
  readonly ended: Promise<CommandEnd>
  readonly started: Promise<void>
  readonly #spec: CommandSpec
  readonly #output: CapturedOutput
  readonly #supervisor: Supervisor
  readonly input = inputBy(() => this.#supervisor.channels)
  #stopped: StopCause | null = null
  #timeout: AwakeTimeout | undefined

  constructor(spec: CommandSpec, { sandbox, onOutput }: StartOptions, machinery: Machinery) {
    const { promise, resolve } = Promise.withResolvers<CommandEnd>()
    const started = Promise.withResolvers<void>()
    const output = captureOutput(spec, onOutput)
    this.ended = promise
    this.started = started.promise
    this.#spec = spec
    this.#output = output
    this.#supervisor = new Supervisor(
      {
        spec: {
          argv: spec.argv,
          cwd: spec.cwd,
          env: spec.env,
          mark: spec.mark,
          ...(spec.cwdIdentity === undefined ? {} : { cwdIdentity: spec.cwdIdentity }),
        },
        sandbox,
        openChannels: () => openChannels(spec, sandbox, machinery),
        onOutput: (_, chunk) => output.take(chunk),
        onStart: started.resolve,
        onClose: (end) => {
          started.resolve()
          resolve(this.#endOf(end))
        },
      },
      machinery,
    )
  }

  get pid(): number | null {
    return this.#supervisor.pid
  }

  get mark(): string {
    return this.#spec.mark
  }

  output() {
    return this.#output.snapshot()
  }

  listen(onOutput: OutputListener): () => void {
    return this.#output.listen(onOutput)
  }

  stop(reason: StopReason): void {
    this.#stop(reason === 'handOver' ? 'shutdown' : reason)
  }

  runOn(): void {
    this.#timeout?.stop()
    this.#output.discardSpool()
  }

  /** Spawns before it returns unless the FIFO has still to be made. Called once. */
  begin(): void {
    const { mark, timeoutMs } = this.#spec
    if (!isUsableMark(mark)) {
      this.#supervisor.fail(new SpawnFailedError('EINVAL', 'arguments', 'The mark is not letters, digits, - and _'))
      return
    }
    if (timeoutMs !== undefined && !this.#supervisor.isClosed) {
      this.#timeout = awakeTimeout(timeoutMs, () => this.#stop('timedOut'))
    }
    this.#supervisor.begin()
  }

  #stop(cause: StopCause): void {
    if (this.#supervisor.isClosed) return
    this.#stopped ??= cause
    this.#timeout?.stop()
    this.#supervisor.stop(cause)
  }

  #endOf(end: ChildEnd): CommandEnd {
    this.#timeout?.stop()
    const { exit, durationMs, leftovers, exchanged } = end
    const spool = this.#output.close(this.#wasKilled(end) || !end.isOutputComplete)
    const spawnError = end.spawnError ?? this.#sandboxFailure(end)
    const triedNetwork = exit?.outcome?.triedNetwork
    return {
      exitCode: spawnError === undefined ? (exit?.exitCode ?? null) : shellExitCode(spawnError),
      signal: exit?.signal ?? null,
      reason: spawnError === undefined ? (this.#stopped ?? 'exited') : 'spawnFailed',
      durationMs,
      leftovers,
      ...this.#output.snapshot(),
      ...(spawnError === undefined ? {} : { spawnError }),
      ...(spool === undefined ? {} : { spool }),
      ...(triedNetwork === undefined ? {} : { triedNetwork }),
      ...(exchanged.length === 0 ? {} : { exchanged }),
    }
  }

  #wasKilled({ exit }: ChildEnd): boolean {
    return this.#stopped !== null || exit === null || exit.signal !== null || isSignalExitCode(exit.exitCode)
  }

  /** Returns why the sandbox could not be set up; undefined for a command that was stopped before it began. */
  #sandboxFailure({ exit }: ChildEnd): SpawnError | undefined {
    const outcome = exit?.outcome ?? null
    if (outcome === null || outcome.ran || this.#stopped !== null) return undefined
    return sandboxFailure(this.#output.snapshot().head)
  }
}
