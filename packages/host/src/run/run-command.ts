import type { ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { closeFifo, type Fifo, type FifoPool } from '../channels/fifo-pool.ts'
import { createDrain, type Drain } from '../channels/output-reader.ts'
import { type CommandOutput, createCommandOutput } from '../output/captured-output.ts'
import { outcomeOf, type SandboxOutcome, type SandboxWatch, sandboxFailure, signalInside } from '../sandbox/sandbox.ts'
import type { DescriptorShield } from '../system/descriptor-shield.ts'
import { errorCode } from '../system/error-code.ts'
import { isUsableMark } from '../system/marks.ts'
import { saysKilled, signalGroup } from '../system/process-tree.ts'
import { explainSpawnFailure, SpawnProblem, shellExitCode } from '../system/spawn-failure.ts'
import type {
  CommandEnd,
  CommandSpec,
  EndReason,
  OutputSnapshot,
  RunningCommand,
  SpawnError,
  StartOptions,
  StopReason,
} from './command.ts'
import type { Guard } from './crash-guard.ts'
import { launch } from './launch.ts'
import { createStopLadder, type Rung, type StopLadder } from './stop-ladder.ts'
import { killLeftovers } from './sweep.ts'

const noPipe = 'No pipe for the output can be made'

const maxTimerMs = 2 ** 31 - 1

export interface Machinery {
  readonly fifos: FifoPool
  readonly guard: Guard
  readonly shield: DescriptorShield
}

interface LeaderEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly durationMs: number
  /** Looked at once, here: later the number of an emptied group may be another's. */
  readonly groupAlive: boolean
}

/** One command from its start to its one end. Order: FIFO, spawn, leader's exit, drain, kill what is left, settle. */
export class CommandRun implements RunningCommand {
  readonly ended: Promise<CommandEnd>
  readonly #spec: CommandSpec
  readonly #options: StartOptions
  readonly #machinery: Machinery
  readonly #startedMs = performance.now()
  readonly #output: CommandOutput
  readonly #ladder: StopLadder
  readonly #drain: Drain
  #settle: ((end: CommandEnd) => void) | null = null
  #child: ChildProcess | null = null
  #watch: SandboxWatch | null = null
  #leaderEnd: LeaderEnd | null = null
  #stopped: StopReason | 'timedOut' | null = null
  #timeout: NodeJS.Timeout | undefined

  constructor(spec: CommandSpec, options: StartOptions, machinery: Machinery) {
    this.#spec = spec
    this.#options = options
    this.#machinery = machinery
    this.#output = createCommandOutput(spec, options.onOutput)
    this.#ladder = createStopLadder((rung) => this.#take(rung))
    this.#drain = createDrain(() => this.#finish())
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  get mark(): string {
    return this.#spec.mark
  }

  output(): OutputSnapshot {
    return this.#output.snapshot()
  }

  /** Called once. Spawns before it returns unless the FIFO has still to be made. */
  begin(): void {
    const { mark, timeoutMs } = this.#spec
    if (!isUsableMark(mark)) {
      this.#fail(new SpawnProblem('EINVAL', 'arguments', 'The mark is not letters, digits, - and _'))
      return
    }
    if (timeoutMs !== undefined) {
      this.#timeout = setTimeout(() => this.#stop('timedOut'), Math.min(timeoutMs, maxTimerMs))
    }
    const fifo = this.#machinery.fifos.take()
    if (fifo instanceof Promise) void this.#spawnLater(fifo)
    else this.#spawn(fifo)
  }

  async #spawnLater(pending: Promise<Fifo>): Promise<void> {
    const made = await pending.catch(
      (cause: unknown) => new SpawnProblem(errorCode(cause), 'system', noPipe, { cause }),
    )
    if (made instanceof SpawnProblem) this.#fail(made)
    else this.#spawn(made)
  }

  stop(reason: StopReason): void {
    this.#stop(reason)
  }

  #stop(reason: StopReason | 'timedOut'): void {
    if (this.#settle === null) return
    this.#stopped ??= reason
    clearTimeout(this.#timeout)
    if (this.#child === null || this.#leaderEnd !== null) this.#finish()
    else this.#ladder.climb(reason)
  }

  #take(rung: Rung): void {
    const groupId = this.pid
    if (groupId === null) return
    if (rung === 'abandon') {
      this.#child?.unref()
      this.#finish()
      return
    }
    this.#signal(groupId, rung)
    // A process that is stopped takes no signal but KILL before it runs again.
    if (rung !== 'SIGKILL') this.#signal(groupId, 'SIGCONT')
  }

  #signal(groupId: number, signal: NodeJS.Signals): void {
    if (!signalInside(this.#watch, signal)) signalGroup(groupId, signal)
  }

  #spawn(fifo: Fifo): void {
    if (this.#settle === null) {
      closeFifo(fifo)
      return
    }
    const { mark } = this.#spec
    this.#output.read(fifo.readFd, () => {
      if (this.#leaderEnd !== null) this.#finish()
    })
    this.#machinery.guard.watch(mark)
    try {
      const fds = [null, fifo.writeFd, fifo.writeFd] as const
      const { sandbox } = this.#options
      const { child, watch } = launch(this.#spec, { sandbox, fds, shield: this.#machinery.shield })
      this.#child = child
      this.#watch = watch
    } catch (error) {
      this.#fail(error)
      return
    } finally {
      closeSync(fifo.writeFd)
    }
    this.#child.once('error', (error) => this.#fail(error))
    this.#child.once('exit', (exitCode, signal) => this.#leaderEnds(exitCode, signal))
    if (this.pid !== null) this.#machinery.guard.adopt(mark, this.pid)
  }

  #leaderEnds(exitCode: number | null, signal: NodeJS.Signals | null): void {
    if (this.#settle === null) return
    const groupId = this.pid
    const groupAlive = groupId !== null && signalGroup(groupId, 0)
    this.#leaderEnd = { exitCode, signal, groupAlive, durationMs: this.#ageMs() }
    this.#ladder.close()
    if (this.#output.isEnded()) this.#finish()
    else this.#drain.start()
  }

  #fail(error: unknown): void {
    this.#finish(explainSpawnFailure(error, this.#spec))
  }

  #finish(spawnFailure?: SpawnError): void {
    const settle = this.#settle
    if (settle === null) return
    this.#settle = null
    this.#ladder.close()
    clearTimeout(this.#timeout)
    this.#drain.close()
    const outcome = this.#leaderEnd === null ? null : outcomeOf(this.#watch)
    const leftovers = this.#killLeftovers() + (outcome?.leftovers ?? 0)
    const spool = this.#output.close(this.#wasKilled())
    this.#machinery.guard.release(this.#spec.mark)
    this.#watch?.close()
    this.#options.sandbox.release?.()
    const spawnError = spawnFailure ?? this.#sandboxFailure(outcome)
    settle({
      exitCode: spawnError === undefined ? (this.#leaderEnd?.exitCode ?? null) : shellExitCode(spawnError),
      signal: this.#leaderEnd?.signal ?? null,
      reason: this.#reason(spawnError),
      durationMs: this.#leaderEnd?.durationMs ?? this.#ageMs(),
      leftovers,
      ...this.#output.snapshot(),
      ...(spawnError === undefined ? {} : { spawnError }),
      ...(spool === undefined ? {} : { spool }),
      ...(outcome?.triedNetwork === undefined ? {} : { triedNetwork: outcome.triedNetwork }),
    })
  }

  #wasKilled(): boolean {
    if (this.#stopped !== null || this.#leaderEnd === null) return true
    const { exitCode, signal } = this.#leaderEnd
    return signal !== null || saysKilled(exitCode)
  }

  /** Of one that was stopped before it had begun nobody wants to know. */
  #sandboxFailure(outcome: SandboxOutcome | null): SpawnError | undefined {
    if (outcome === null || outcome.ran || this.#stopped !== null) return undefined
    return sandboxFailure(this.#output.snapshot().head)
  }

  #killLeftovers(): number {
    const groupId = this.pid
    if (groupId === null) return 0
    const groupAlive = this.#leaderEnd?.groupAlive ?? true
    return killLeftovers({ groupId, mark: this.#spec.mark, groupAlive, ageMs: this.#ageMs() })
  }

  #reason(spawnError: SpawnError | undefined): EndReason {
    return spawnError === undefined ? (this.#stopped ?? 'exited') : 'spawnFailed'
  }

  #ageMs(): number {
    return performance.now() - this.#startedMs
  }
}
