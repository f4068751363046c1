import { LineTooLongError, StorageError } from '@parley/journal'
import type { Failure } from '@parley/protocol'
import { isWindowFull } from '../compaction/when-due.ts'
import { isUnread, readView } from '../conversation/log-fold.ts'
import { nextStep, type TurnStep } from '../core/next-step.ts'
import { RefusedEventError, refusedEventFailure } from '../replies/refused-event.ts'
import { lineTooLongFailure } from '../replies/storage-words.ts'
import type { Roles } from '../roles/roles.ts'
import { type AbortReason, toldWhy, unlessAborted } from '../tools/contract/tool.ts'
import { type EndReason, endTurn } from './end-turn.ts'
import { performStep } from './perform-step.ts'

const defect: Failure = {
  code: 'internal',
  message: 'Something went wrong in parley itself; its log says more. The conversation is saved.',
}

/** Returns the failure that a turn ends with after a fault that the disk did not cause. */
function failureOf(fault: unknown): Failure {
  if (fault instanceof LineTooLongError) return lineTooLongFailure(fault)
  return fault instanceof RefusedEventError ? refusedEventFailure(fault) : defect
}

function isSame(known: EndReason | null, ending: Failure): boolean {
  return known !== null && typeof known === 'object' && 'code' in known && known.code === ending.code
}

type Move = () => void | Promise<void>

/**
 * Runs one loop per conversation: `while (step = nextStep(state)) await performStep(step)`. After a storage failure the
 * loop continues from the state, which holds everything that was recorded.
 */
export class TurnLoop {
  readonly #roles: Roles
  readonly #onFault: (fault: unknown) => void
  #stop = new AbortController()
  #loop: Promise<void> = Promise.resolve()
  #running = false
  #closing = false
  #handsOver = false
  /** Set when nothing more can be recorded. */
  #stuck = false
  #defective = false
  /** Reason that the open turn has yet to be ended with. */
  #ending: EndReason | null = null
  /** Settled when the turn that was interrupted last has ended, or could not be ended. */
  #interrupted: PromiseWithResolvers<void> | null = null

  /** `onFault` is called with a defect, and with a final storage failure. */
  constructor(roles: Roles, onFault: (fault: unknown) => void) {
    this.#roles = roles
    this.#onFault = onFault
  }

  get running(): boolean {
    return this.#running
  }

  /** Tells if a defect repeated itself: this process cannot continue, but a resume in another may. */
  get defective(): boolean {
    return this.#defective
  }

  /**
   * Resolves when the interrupted turn has ended; null when no turn is about to end. Requests that come after the
   * interrupt wait for this, so that they take effect after it.
   */
  get stopping(): Promise<void> | null {
    return this.#interrupted?.promise ?? null
  }

  /** Starts the loop if there is a step to do; does nothing while it runs. */
  wake(): void {
    if (this.#stuck || this.#closing) return
    if (this.#running) {
      this.#roles.record.storage.hurry()
      return
    }
    this.#running = true
    this.#loop = this.#run()
  }

  /** Stops the open turn; returns false when there is none to stop. `why`: reason in place of a user's interrupt. */
  interrupt(why?: string): boolean {
    if (this.#roles.record.conversation.state.core.turn === null) return false
    if (!this.#stuck && !this.#closing) this.#interrupted ??= Promise.withResolvers()
    this.#abort(why === undefined ? 'interrupted' : { why })
    this.wake()
    return true
  }

  /**
   * Stops running work but not a turn that waits for a person; with `handOver` no turn ends, so that another server goes
   * on with it. Resolves when nothing runs.
   */
  async shutDown(reason: 'shutdown' | 'handOver' = 'shutdown'): Promise<void> {
    this.#closing = true
    this.#handsOver = reason === 'handOver'
    this.#roles.record.storage.close()
    this.#abort(reason)
    await this.#loop
  }

  #abort(reason: AbortReason): void {
    this.#stop.abort(reason)
  }

  async #run(): Promise<void> {
    const { view } = this.#roles.record.conversation
    try {
      if (isUnread(view)) await this.#attempt(() => readView(view))
      for (let move = this.#next(); move !== null; move = this.#next()) await this.#attempt(move)
    } finally {
      // Set in the same tick as the last look at the state; a wake-up in between would be lost.
      this.#running = false
      this.#endInterrupt()
    }
  }

  #next(): Move | null {
    if (this.#stuck) return null
    if (this.#ending !== null || this.#stop.signal.aborted) return () => this.#settleOnce()
    if (this.#closing) return null
    const { record, model, act, people } = this.#roles
    const first = this.#step()
    if (first.kind === 'await') return null
    const { signal } = this.#stop
    return async () => {
      const step = act.project.isRead ? first : await this.#stepOnceRead(signal)
      if (step.kind === 'await') return
      const failure = await performStep({ record, model, act, people, signal }, step)
      if (failure !== null && !signal.aborted) this.#ending = failure
    }
  }

  #step(): TurnStep {
    const { record, model } = this.#roles
    return nextStep(record.conversation.state, () => isWindowFull({ record, model }), model.budget)
  }

  /** Tries to read the project first. Its machine may take minutes to answer, and a message be taken back meanwhile. */
  async #stepOnceRead(signal: AbortSignal): Promise<TurnStep> {
    await unlessAborted(this.#roles.act.project.read(), signal)
    return signal.aborted ? { kind: 'await' } : this.#step()
  }

  #settleOnce(): void {
    try {
      this.#settle()
    } finally {
      this.#endInterrupt()
    }
  }

  #endInterrupt(): void {
    this.#interrupted?.resolve()
    this.#interrupted = null
  }

  #settle(): void {
    const { conversation, ids } = this.#roles.record
    const told = toldWhy(this.#stop.signal.reason)
    const why = this.#ending ?? (this.#closing ? 'shutdown' : told === null ? 'interrupted' : { why: told })
    const waitsForPerson = Object.keys(conversation.state.core.approvals).length > 0
    const isLeftOpen = why === 'shutdown' && (waitsForPerson || this.#handsOver)
    if (!isLeftOpen) endTurn(conversation, ids, why)
    this.#ending = null
    if (this.#stop.signal.aborted) this.#stop = new AbortController()
  }

  async #attempt(move: Move): Promise<void> {
    const { conversation, storage } = this.#roles.record
    const hadTurn = conversation.state.core.turn !== null
    try {
      await move()
      storage.worked()
    } catch (fault) {
      if (fault instanceof StorageError) {
        this.#stuck = !(await storage.wait(fault))
        return
      }
      const ending = failureOf(fault)
      // A defect while ending a turn, or without a turn, would repeat forever.
      this.#defective = isSame(this.#ending, ending) || (!hadTurn && conversation.state.core.turn === null)
      this.#stuck = this.#defective
      this.#ending = ending
      // An oversized event is reported by the end of the turn.
      if (this.#defective || ending.code !== 'eventTooLarge') this.#onFault(fault)
    }
  }
}
