import { constants } from 'node:os'
import { type Channels, inputBy, type OutputStream, type TerminalSize } from '../channels/channels.ts'
import { openSeparateChannels } from '../channels/fifo-channels.ts'
import type { Exchanged } from '../paths/move-aside.ts'
import { type Sandbox, sandboxFailure } from '../sandbox/sandbox.ts'
import { createMark } from '../system/marks.ts'
import type { SpawnError } from '../system/spawn-failure.ts'
import { openTerminal } from './launch.ts'
import { endedBeforeStart, type LeaderExit, type Machinery, Supervisor } from './supervisor.ts'

/** Process with output that is delivered as it comes. Only a mark is added to `env`, and no shell interprets `argv`. */
export interface ProcessSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** `argv[0]` for the program, when it differs from its path. */
  readonly arg0?: string
  /** Size of a terminal of its own; null gives it pipes. */
  readonly terminal: TerminalSize | null
  /** True to let `write` reach its stdin; otherwise stdin is empty. Without effect for a terminal. */
  readonly pipeStdin: boolean
}

export interface ProcessExit {
  /** Exit code; null when a signal ended it or nothing could end it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Present when it could not be started or its sandbox could not be set up: nothing of it was run. */
  readonly spawnError?: SpawnError
  /** See `CommandEnd`. */
  readonly triedNetwork?: boolean
}

export interface ProcessOptions {
  readonly sandbox: Sandbox
  /** Called in true order within a stream. `chunk` is valid only during the call. Must not throw. */
  onOutput(stream: OutputStream, chunk: Buffer): void
  /** Called once if the process was started; output may follow. */
  onExit(exit: ProcessExit): void
}

/** Running process; its owner reads output as it comes and writes input. */
export interface RunningProcess {
  readonly pid: number | null
  /** Settles before any output: null when the process runs, or why it does not. */
  readonly started: Promise<SpawnError | null>
  /** True with a terminal or a piped stdin that is still open. */
  readonly takesInput: boolean
  /** Resolves when the system has taken the bytes; false when the process does not read any more. */
  write(bytes: Buffer): Promise<boolean>
  /** Bytes given to `write` that the system has not taken yet. */
  readonly unwrittenBytes: number
  /** Closes stdin after all writes. Returns false without a piped stdin. */
  closeStdin(): boolean
  /** Returns false when it has no terminal. */
  resize(size: TerminalSize): boolean
  /** Sends a signal to its process group; returns false when the group has ended. */
  signal(signal: NodeJS.Signals): boolean
  /** Sends SIGKILL to its whole tree. */
  kill(): void
  /** Stops reading, so that its pipes fill and it waits. Nothing is lost, even when it exits meanwhile. */
  pause(): void
  resume(): void
  /**
   * Resolves after its exit and its last output, with its whole tree killed, to what `Sandbox.release` returned. Never
   * rejects.
   */
  readonly closed: Promise<readonly Exchanged[]>
}

/** Runs a process with separate FIFOs or a terminal, and passes its output to its owner as it comes. */
export class ProcessRun implements RunningProcess {
  readonly started: Promise<SpawnError | null>
  readonly closed: Promise<readonly Exchanged[]>
  readonly #spec: ProcessSpec
  readonly #options: ProcessOptions
  readonly #machinery: Machinery
  readonly #supervisor: Supervisor
  readonly #input = inputBy(() => this.#supervisor.channels)
  #killed = false

  constructor(spec: ProcessSpec, options: ProcessOptions, machinery: Machinery) {
    const started = Promise.withResolvers<SpawnError | null>()
    const closed = Promise.withResolvers<readonly Exchanged[]>()
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
        onClose({ spawnError = endedBeforeStart, exchanged }) {
          started.resolve(spawnError)
          closed.resolve(exchanged)
        },
      },
      machinery,
    )
  }

  get pid(): number | null {
    return this.#supervisor.pid
  }

  get takesInput(): boolean {
    return this.#input.isOpen
  }

  get unwrittenBytes(): number {
    return this.#input.unwrittenBytes
  }

  /** Called once. */
  begin(): void {
    this.#supervisor.begin()
  }

  write(bytes: Buffer): Promise<boolean> {
    return this.#input.write(bytes)
  }

  closeStdin(): boolean {
    return this.#input.end()
  }

  resize(size: TerminalSize): boolean {
    return this.#input.resize(size)
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
    const { fifos, inputFifos, shield } = this.#machinery
    if (terminal === null) return openSeparateChannels(fifos, pipeStdin ? inputFifos : null)
    return openTerminal(this.#spec, { size: terminal, sandbox: this.#options.sandbox, shield })
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

/** Returns the exit code as a shell does, 128 plus the signal's number; -1 when it is unknown. */
export function exitCodeOf({ exitCode, signal }: ProcessExit): number {
  if (exitCode !== null) return exitCode
  return signal === null ? -1 : 128 + constants.signals[signal]
}
