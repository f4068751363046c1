import type { Channels, TerminalSize } from '../channels/channels.ts'
import { openSeparateChannels } from '../channels/fifo-channels.ts'
import { sandboxFailure } from '../sandbox/sandbox.ts'
import { createMark } from '../system/marks.ts'
import { assertStartable, type SpawnError } from '../system/spawn-failure.ts'
import type { ProcessOptions, ProcessSpec, RunningProcess } from './process.ts'
import { endedBeforeStart, type LeaderExit, type Machinery, Supervisor } from './supervisor.ts'

/** Runs a process with separate FIFOs or a terminal, whose output goes to its owner as it comes. */
export class ProcessRun implements RunningProcess {
  readonly started: Promise<SpawnError | null>
  readonly closed: Promise<void>
  readonly #spec: ProcessSpec
  readonly #options: ProcessOptions
  readonly #machinery: Machinery
  readonly #supervisor: Supervisor
  #killed = false

  constructor(spec: ProcessSpec, options: ProcessOptions, machinery: Machinery) {
    const started = Promise.withResolvers<SpawnError | null>()
    const closed = Promise.withResolvers<void>()
    const { argv, cwd, env, arg0 } = spec
    this.started = started.promise
    this.closed = closed.promise
    this.#spec = spec
    this.#options = options
    this.#machinery = machinery
    this.#supervisor = new Supervisor(
      {
        spec: { argv, cwd, env, mark: createMark(), ...(arg0 === undefined ? {} : { arg0 }) },
        sandbox: options.sandbox,
        openChannels: () => this.#openChannels(),
        onOutput: options.onOutput,
        onStart: () => started.resolve(null),
        onExit: (exit) => this.#exits(exit),
        onClose({ spawnError = endedBeforeStart }) {
          started.resolve(spawnError)
          closed.resolve()
        },
      },
      machinery,
    )
  }

  get pid(): number | null {
    return this.#supervisor.pid
  }

  get takesInput(): boolean {
    return this.#supervisor.channels?.input?.isOpen ?? false
  }

  get unwrittenBytes(): number {
    return this.#supervisor.channels?.input?.unwrittenBytes ?? 0
  }

  /** Called once. */
  begin(): void {
    this.#supervisor.begin()
  }

  write(bytes: Buffer): Promise<boolean> {
    return this.#supervisor.channels?.input?.write(bytes) ?? Promise.resolve(false)
  }

  closeStdin(): boolean {
    return this.#supervisor.channels?.input?.end() ?? false
  }

  resize(size: TerminalSize): boolean {
    return this.#supervisor.channels?.resize(size) ?? false
  }

  signal(signal: NodeJS.Signals): boolean {
    return this.#supervisor.signal(signal)
  }

  kill(): void {
    this.#killed = true
    this.#supervisor.kill()
  }

  pause(): void {
    this.#supervisor.pause()
  }

  resume(): void {
    this.#supervisor.resume()
  }

  #openChannels(): Promise<Channels> {
    const { terminal, pipeStdin } = this.#spec
    const { fifos, inputFifos } = this.#machinery
    return terminal === null ? openSeparateChannels(fifos, pipeStdin ? inputFifos : null) : this.#openTerminal(terminal)
  }

  async #openTerminal(size: TerminalSize): Promise<Channels> {
    if (this.#options.sandbox.limits === null) assertStartable(this.#spec)
    const { openTerminalChannels } = await import('../channels/terminal-channels.ts')
    return openTerminalChannels({ size, shield: this.#machinery.shield })
  }

  #exits({ exitCode, signal, outcome }: LeaderExit): void {
    const failed = outcome !== null && !outcome.ran && !this.#killed
    this.#options.onExit({
      exitCode,
      signal,
      ...(failed ? { spawnError: sandboxFailure(null) } : {}),
      ...(outcome?.triedNetwork === undefined ? {} : { triedNetwork: outcome.triedNetwork }),
    })
  }
}
