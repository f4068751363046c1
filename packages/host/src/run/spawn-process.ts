import type { ChildProcess } from 'node:child_process'
import type { Channels } from '../channels/channels.ts'
import type { FifoPool } from '../channels/fifo-pool.ts'
import { createDrain, type Drain } from '../channels/output-reader.ts'
import { openPipeChannels } from '../channels/pipe-channels.ts'
import { outcomeOf, type SandboxWatch, sandboxFailure, signalInside } from '../sandbox/sandbox.ts'
import type { DescriptorShield } from '../system/descriptor-shield.ts'
import { createMark } from '../system/marks.ts'
import { signalGroup } from '../system/process-tree.ts'
import { assertStartable, explainSpawnFailure } from '../system/spawn-failure.ts'
import type { SpawnError } from './command.ts'
import type { Guard } from './crash-guard.ts'
import { launch } from './launch.ts'
import type { ProcessExit, ProcessOptions, ProcessSpec, RunningProcess, TerminalSize } from './process.ts'
import { killLeftovers } from './sweep.ts'

/** How long a killed process may take to go before we stop waiting: it hangs in the kernel. */
const abandonMs = 900

export interface ProcessMachinery {
  readonly fifos: FifoPool
  readonly inputFifos: FifoPool
  readonly guard: Guard
  readonly shield: DescriptorShield
}

/** One process from its start to its end. Order: channels, spawn, exit, drain, kill what is left, closed. */
export class ProcessRun implements RunningProcess {
  readonly started: Promise<SpawnError | null>
  readonly closed: Promise<void>
  readonly #spec: ProcessSpec
  readonly #options: ProcessOptions
  readonly #machinery: ProcessMachinery
  readonly #mark = createMark()
  readonly #startedMs = performance.now()
  readonly #drain: Drain
  readonly #settleStarted: (failure: SpawnError | null) => void
  #settleClosed: (() => void) | null
  #channels: Channels | null = null
  #child: ChildProcess | null = null
  #watch: SandboxWatch | null = null
  /** Was there still a group when the leader ended? Null while it runs. */
  #groupAlive: boolean | null = null
  #outputEnded = false
  #paused = false
  #killed = false
  #abandon: NodeJS.Timeout | undefined

  constructor(spec: ProcessSpec, options: ProcessOptions, machinery: ProcessMachinery) {
    const started = Promise.withResolvers<SpawnError | null>()
    const closed = Promise.withResolvers<void>()
    this.#spec = spec
    this.#options = options
    this.#machinery = machinery
    this.started = started.promise
    this.closed = closed.promise
    this.#settleStarted = started.resolve
    this.#settleClosed = closed.resolve
    this.#drain = createDrain(() => this.#finish())
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  get takesInput(): boolean {
    return this.#channels?.input?.isOpen ?? false
  }

  get unwrittenBytes(): number {
    return this.#channels?.input?.unwrittenBytes ?? 0
  }

  /** Called once. */
  async begin(): Promise<void> {
    try {
      if (!this.#killed) this.#channels = await this.#openChannels()
      if (this.#killed || this.#channels === null) this.#finish()
      else this.#spawn(this.#channels)
    } catch (error) {
      this.#fail(error)
    }
  }

  write(bytes: Buffer): Promise<boolean> {
    return this.#channels?.input?.write(bytes) ?? Promise.resolve(false)
  }

  closeStdin(): boolean {
    return this.#channels?.input?.end() ?? false
  }

  resize(size: TerminalSize): boolean {
    return this.#channels?.resize(size) ?? false
  }

  signal(signal: NodeJS.Signals): boolean {
    if (this.pid === null || this.#groupAlive !== null) return false
    if (signalInside(this.#watch, signal)) return true
    // What takes a terminal makes its group itself, a moment after its start.
    return signalGroup(this.pid, signal) || (this.#child?.kill(signal) ?? false)
  }

  kill(): void {
    this.#killed = true
    if (this.#child === null || this.#settleClosed === null) return
    this.#killTree()
    this.#abandon ??= setTimeout(() => {
      this.#child?.unref()
      if (this.#groupAlive === null) this.#exits({ exitCode: null, signal: null })
    }, abandonMs)
  }

  pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#drain.hold()
    this.#channels?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#channels?.resume()
    if (this.#groupAlive !== null) this.#drain.start()
  }

  #openChannels(): Channels | Promise<Channels> {
    const { terminal, pipeStdin } = this.#spec
    const { fifos, inputFifos, shield } = this.#machinery
    if (terminal === null) return openPipeChannels(fifos, pipeStdin ? inputFifos : null)
    if (this.#options.sandbox.limits === null) assertStartable(this.#spec)
    return this.#openTerminal({ size: terminal, shield })
  }

  async #openTerminal(options: { size: TerminalSize; shield: DescriptorShield }) {
    const { openTerminalChannels } = await import('../channels/terminal-channels.ts')
    return openTerminalChannels(options)
  }

  #spawn(channels: Channels): void {
    const { onOutput } = this.#options
    const { guard, shield } = this.#machinery
    channels.open({ onOutput, onEnd: () => this.#outputEnds() })
    if (this.#paused) channels.pause()
    guard.watch(this.#mark)
    try {
      const { terminal, fds } = channels
      const taking = terminal === undefined ? {} : { terminal }
      const { child, watch } = launch(this.#launched(), { sandbox: this.#options.sandbox, fds, shield, ...taking })
      this.#child = child
      this.#watch = watch
    } finally {
      channels.closeItsSide()
    }
    this.#child.once('error', (error) => this.#fail(error))
    this.#child.once('exit', (exitCode, signal) => this.#leaderEnds({ exitCode, signal }))
    if (this.pid === null) return
    guard.adopt(this.#mark, this.pid)
    this.#settleStarted(null)
  }

  #launched() {
    const { argv, cwd, env, arg0 } = this.#spec
    return { argv, cwd, env, mark: this.#mark, ...(arg0 === undefined ? {} : { arg0 }) }
  }

  #leaderEnds(exit: ProcessExit): void {
    const outcome = outcomeOf(this.#watch)
    const failed = outcome !== null && !outcome.ran && !this.#killed
    this.#exits({
      ...exit,
      ...(failed ? { spawnError: sandboxFailure(null) } : {}),
      ...(outcome?.triedNetwork === undefined ? {} : { triedNetwork: outcome.triedNetwork }),
    })
  }

  #exits(exit: ProcessExit): void {
    if (this.#settleClosed === null || this.#groupAlive !== null) return
    this.#groupAlive = this.pid !== null && signalGroup(this.pid, 0)
    clearTimeout(this.#abandon)
    this.#options.onExit(exit)
    if (this.#outputEnded) this.#finish()
    else if (!this.#paused) this.#drain.start()
  }

  #outputEnds(): void {
    this.#outputEnded = true
    if (this.#groupAlive !== null) this.#finish()
  }

  /** Node may tell of one failure twice. */
  #fail(error: unknown): void {
    this.#settleStarted(explainSpawnFailure(error, this.#spec))
    if (this.#groupAlive === null) this.#finish()
  }

  #finish(): void {
    const settle = this.#settleClosed
    if (settle === null) return
    this.#settleClosed = null
    this.#settleStarted(killedBeforeStart)
    clearTimeout(this.#abandon)
    this.#drain.close()
    this.#killTree()
    this.#channels?.close()
    this.#machinery.guard.release(this.#mark)
    this.#watch?.close()
    this.#watch = null
    this.#options.sandbox.release?.()
    settle()
  }

  #killTree(): void {
    if (this.pid === null) return
    if (this.#groupAlive === null) signalInside(this.#watch, 'SIGKILL')
    const ageMs = performance.now() - this.#startedMs
    killLeftovers({ groupId: this.pid, mark: this.#mark, groupAlive: this.#groupAlive ?? true, ageMs })
  }
}

const killedBeforeStart: SpawnError = {
  code: 'ECANCELED',
  subject: 'system',
  message: 'It was ended before it had started',
}
