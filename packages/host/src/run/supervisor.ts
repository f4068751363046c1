import type { ChildProcess } from 'node:child_process'
import type { Channels, OutputStream } from '../channels/channels.ts'
import type { FifoPool } from '../channels/fifo-pool.ts'
import { createDrain, type Drain } from '../channels/output-reader.ts'
import type { Exchanged } from '../paths/move-aside.ts'
import { outcomeOf, type Sandbox, type SandboxOutcome, type SandboxWatch, signalInside } from '../sandbox/sandbox.ts'
import type { DescriptorShield } from '../system/descriptor-shield.ts'
import { killTree } from '../system/process-tree.ts'
import { signalGroup } from '../system/signals.ts'
import { explainSpawnFailure, type SpawnError } from '../system/spawn-failure.ts'
import type { CrashGuard } from './crash-guard.ts'
import { type LaunchSpec, launch } from './launch.ts'
import { createStopLadder, type Rung, rungMs, type StopCause, type StopLadder } from './stop-ladder.ts'

/** Parts of a host that its children share. */
export interface Machinery {
  readonly fifos: FifoPool
  readonly inputFifos: FifoPool
  readonly guard: CrashGuard
  readonly shield: DescriptorShield
}

export interface SupervisedChild {
  readonly spec: LaunchSpec
  readonly sandbox: Sandbox
  /** Opens the connection with the child. A throw or rejection is a failure to start. */
  openChannels(): Channels | Promise<Channels>
  onOutput(stream: OutputStream, chunk: Buffer): void
  /** Called once when the child runs, before any output. */
  onStart?(): void
  /** Called once when the leader has ended, if it was started; output may follow. */
  onExit?(exit: LeaderExit): void
  /** Called once, last, when everything that is known of the tree has been sent SIGKILL. */
  onClose(end: ChildEnd): void
}

export interface LeaderExit {
  /** Exit code; null when a signal ended the leader, and with a null `signal` when nothing could end it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Time from `new Supervisor` to the exit. */
  readonly durationMs: number
  readonly outcome: SandboxOutcome | null
}

export interface ChildEnd {
  /** Exit of the leader; null when it never ran. */
  readonly exit: LeaderExit | null
  readonly spawnError?: SpawnError
  readonly durationMs: number
  /** Processes that the leader left behind, now killed. */
  readonly leftovers: number
  /** False when output may be left unread. */
  readonly isOutputComplete: boolean
  /** See `Sandbox.release`. */
  readonly exchanged: readonly Exchanged[]
}

export const endedBeforeStart: SpawnError = {
  code: 'ECANCELED',
  subject: 'system',
  message: 'It was ended before it had started',
}

/**
 * Runs one child from its start to its end, with any channels. Order: channels, spawn, exit of the leader, drain, kill
 * of leftover processes, close.
 */
export class Supervisor {
  readonly #options: SupervisedChild
  readonly #machinery: Machinery
  readonly #startedMs = performance.now()
  readonly #ladder: StopLadder
  readonly #drain: Drain
  #closed = false
  #channels: Channels | null = null
  #child: ChildProcess | null = null
  #watch: SandboxWatch | null = null
  #exit: LeaderExit | null = null
  /** Read once, at the exit: later the number of an emptied group may belong to another one. */
  #groupAlive = true
  #outputEnded = false
  #paused = false
  #abandon: NodeJS.Timeout | undefined

  constructor(options: SupervisedChild, machinery: Machinery) {
    this.#options = options
    this.#machinery = machinery
    this.#ladder = createStopLadder((rung) => this.#take(rung))
    this.#drain = createDrain(() => this.#close())
  }

  /** Id of the child, its session and its group; null until the child runs. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  get isClosed(): boolean {
    return this.#closed
  }

  get channels(): Channels | null {
    return this.#channels
  }

  /** The child, for channels that are Node's own streams; null when it does not run. */
  get child(): ChildProcess | null {
    return this.pid === null ? null : this.#child
  }

  /** Starts the child, before it returns if the channels are ready. Called once; does nothing after a stop. */
  begin(): void {
    if (this.isClosed) return
    try {
      const channels = this.#options.openChannels()
      if (channels instanceof Promise) {
        channels.then(
          (opened) => this.#spawn(opened),
          (error: unknown) => this.fail(error),
        )
      } else this.#spawn(channels)
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends a child that cannot be started. */
  fail(error: unknown): void {
    if (this.#exit === null) this.#close(explainSpawnFailure(error, this.#options.spec))
  }

  /** Climbs the ladder of signals. A child that does not run yet is not started; one that has exited is not drained further. */
  stop(cause: StopCause): void {
    if (this.#child === null || this.#exit !== null) this.#close()
    else this.#ladder.climb(cause)
  }

  /** Kills the whole tree at once, and stops waiting for it when it does not end. Still reads its earlier output. */
  kill(): void {
    if (this.isClosed) return
    if (this.#child === null) {
      this.#close()
      return
    }
    this.#killTree()
    this.#abandon ??= setTimeout(() => this.#take('abandon'), rungMs('SIGKILL', true))
  }

  /** Sends a signal to the group of the child; returns false when the group has ended. */
  signal(signal: NodeJS.Signals): boolean {
    if (this.pid === null || this.#exit !== null) return false
    if (signalInside(this.#watch, signal)) return true
    // A child that takes a terminal makes its group itself, a moment after its start.
    return signalGroup(this.pid, signal) || (this.#child?.kill(signal) ?? false)
  }

  pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#drain.pause()
    this.#channels?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#channels?.resume()
    if (this.#exit !== null) this.#drain.start()
  }

  #spawn(channels: Channels): void {
    if (this.isClosed) {
      channels.closeChildSide()
      channels.close()
      return
    }
    this.#channels = channels
    try {
      this.#launch(channels)
    } catch (error) {
      this.fail(error)
    }
  }

  #launch(channels: Channels): void {
    const { spec, sandbox, onOutput, onStart } = this.#options
    const { guard, shield } = this.#machinery
    try {
      channels.open({ onOutput, onEnd: () => this.#outputEnds() })
      if (this.#paused) channels.pause()
      guard.watch(spec.mark)
      const { terminal, fds } = channels
      const { child, watch } = launch(spec, { sandbox, fds, shield, ...(terminal === undefined ? {} : { terminal }) })
      this.#child = child
      this.#watch = watch
    } finally {
      channels.closeChildSide()
    }
    this.#child.on('error', (error) => {
      if (this.pid === null) this.fail(error)
    })
    this.#child.once('exit', (exitCode, signal) => this.#leaderExits(exitCode, signal, outcomeOf(this.#watch)))
    if (this.pid === null) return
    guard.adopt(spec.mark, this.pid)
    onStart?.()
  }

  #take(rung: Rung): void {
    if (rung === 'abandon') {
      this.#child?.unref()
      this.#leaderExits(null, null, null)
      return
    }
    this.signal(rung)
    // A stopped process takes no signal but KILL before it continues.
    if (rung !== 'SIGKILL') this.signal('SIGCONT')
  }

  #leaderExits(exitCode: number | null, signal: NodeJS.Signals | null, outcome: SandboxOutcome | null): void {
    if (this.isClosed || this.#exit !== null) return
    this.#groupAlive = this.pid !== null && signalGroup(this.pid, 0)
    this.#exit = { exitCode, signal, outcome, durationMs: this.#ageMs() }
    this.#ladder.close()
    clearTimeout(this.#abandon)
    this.#options.onExit?.(this.#exit)
    if (this.#outputEnded) this.#close()
    else if (!this.#paused) this.#drain.start()
  }

  #outputEnds(): void {
    this.#outputEnded = true
    if (this.#exit !== null) this.#close()
  }

  #close(spawnError?: SpawnError): void {
    if (this.isClosed) return
    this.#closed = true
    this.#ladder.close()
    clearTimeout(this.#abandon)
    this.#drain.close()
    const isOutputComplete = this.#outputEnded
    const leftovers = this.#killTree() + (this.#exit?.outcome?.leftovers ?? 0)
    this.#channels?.close()
    this.#machinery.guard.release(this.#options.spec.mark)
    this.#watch?.close()
    this.#watch = null
    const exchanged = this.#options.sandbox.release?.() ?? []
    const durationMs = this.#exit?.durationMs ?? this.#ageMs()
    const failure = spawnError === undefined ? {} : { spawnError }
    this.#options.onClose({ exit: this.#exit, ...failure, durationMs, leftovers, isOutputComplete, exchanged })
  }

  #killTree(): number {
    if (this.pid === null) return 0
    if (this.#exit === null) signalInside(this.#watch, 'SIGKILL')
    const { mark } = this.#options.spec
    return killTree({ groupId: this.pid, mark, groupAlive: this.#groupAlive, ageMs: this.#ageMs() })
  }

  #ageMs(): number {
    return performance.now() - this.#startedMs
  }
}
