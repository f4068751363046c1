import { LineTooLong, StorageError } from '@parley/journal'
import type { Failure } from '@parley/protocol'
import { nextStep } from '../../core/next-step.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { StoragePatience } from '../conversation/storage-patience.ts'
import { lineTooLongFailure } from '../replies/rejection.ts'
import { type EndReason, endTurn } from './end-turn.ts'
import { performStep } from './perform-step.ts'
import type { StopReason, TurnContext, TurnModules } from './turn-context.ts'

const defect: Failure = {
  code: 'internal',
  message: 'Something went wrong in parley itself; its log says more. The conversation is saved.',
}

function isSame(known: EndReason | null, ending: Failure): boolean {
  return known !== null && typeof known === 'object' && known.code === ending.code
}

interface TurnLoopParts {
  readonly conversation: Conversation
  readonly modules: TurnModules
  readonly patience: StoragePatience
  /** A defect, or storage that failed for good. */
  readonly onFault: (fault: unknown) => void
}

type Move = () => void | Promise<void>

/**
 * Keeps one loop per conversation going: `while (step = nextStep(state)) await perform(step)`. What a move could not
 * record is found again in the state, so after storage trouble the same loop simply looks anew.
 */
export class TurnLoop {
  readonly #parts: TurnLoopParts
  #stop = new AbortController()
  #loop: Promise<void> = Promise.resolve()
  #running = false
  #closing = false
  /** Nothing more can be recorded. */
  #stuck = false
  #defective = false
  /** What the open turn has yet to be ended with. */
  #ending: EndReason | null = null

  constructor(parts: TurnLoopParts) {
    this.#parts = parts
  }

  get running(): boolean {
    return this.#running
  }

  /** A defect kept coming back: nothing more can be done in this process, a resume in another one may. */
  get defective(): boolean {
    return this.#defective
  }

  /** Looks whether there is something to do; harmless when the loop runs. */
  wake(): void {
    if (this.#stuck || this.#closing) return
    if (this.#running) {
      this.#parts.patience.hurry()
      return
    }
    this.#running = true
    this.#loop = this.#run()
  }

  /** Stops the open turn; false when there is none. */
  interrupt(): boolean {
    if (this.#parts.conversation.state.core.turn === null) return false
    this.#abort('interrupted')
    this.wake()
    return true
  }

  /** Stops what runs without ending a turn that waits for a person. Resolves when nothing runs. */
  async shutDown(): Promise<void> {
    this.#closing = true
    this.#parts.patience.close()
    this.#abort('shutdown')
    await this.#loop
  }

  #abort(reason: StopReason): void {
    this.#stop.abort(reason)
  }

  async #run(): Promise<void> {
    try {
      for (let move = this.#next(); move !== null; move = this.#next()) await this.#attempt(move)
    } finally {
      // In the same tick as the last look at the state: a wake-up in between would be lost.
      this.#running = false
    }
  }

  #next(): Move | null {
    if (this.#stuck) return null
    if (this.#ending !== null || this.#stop.signal.aborted) return () => this.#settle()
    if (this.#closing) return null
    const step = nextStep(this.#parts.conversation.state)
    if (step.kind === 'await') return null
    const run: TurnContext = { ...this.#parts, signal: this.#stop.signal }
    return async () => {
      const failure = await performStep(run, step)
      if (failure !== null && !run.signal.aborted) this.#ending = failure
    }
  }

  #settle(): void {
    const { conversation, modules } = this.#parts
    const why = this.#ending ?? (this.#closing ? 'shutdown' : 'interrupted')
    const waitsForPerson = Object.keys(conversation.state.core.approvals).length > 0
    if (why !== 'shutdown' || !waitsForPerson) endTurn(conversation, modules.ids, why)
    this.#ending = null
    if (this.#stop.signal.aborted) this.#stop = new AbortController()
  }

  async #attempt(move: Move): Promise<void> {
    const { conversation, patience, onFault } = this.#parts
    const hadTurn = conversation.state.core.turn !== null
    try {
      await move()
      patience.worked()
    } catch (fault) {
      if (fault instanceof StorageError) {
        this.#stuck = !(await patience.wait(fault))
        return
      }
      const ending = fault instanceof LineTooLong ? lineTooLongFailure(fault) : defect
      // A defect in ending the turn, or where there is none to end, would come back for ever.
      this.#defective = isSame(this.#ending, ending) || (!hadTurn && conversation.state.core.turn === null)
      this.#stuck = this.#defective
      this.#ending = ending
      // What is too large is told by how the turn ends.
      if (this.#defective || ending === defect) onFault(fault)
    }
  }
}
