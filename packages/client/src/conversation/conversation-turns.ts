import {
  type ApprovalRequest,
  type InputItem,
  type MessageId,
  type ParamsOf,
  type ResultOf,
  type TurnId,
  unansweredApprovals,
} from '@parley/protocol'
import { codeOf } from '../connection/errors.ts'
import type { FollowedStream } from './follow-events.ts'
import { type LiveTail, openTail } from './live-tail.ts'
import { createTurn, type Turn, type TurnSetup } from './turn.ts'

/** Options of a message, as in the request `conversation/sendMessage`. */
export interface SendOptions extends Omit<ParamsOf<'conversation/sendMessage'>, 'conversationId' | 'input'> {
  /** Interrupts the turn, or removes the message while it is queued. The turn still ends by its event. */
  readonly signal?: AbortSignal
}

/** Options of leaving content out, as in the request `conversation/context/leaveOut`. */
export interface LeaveOutOptions extends Omit<ParamsOf<'conversation/context/leaveOut'>, 'conversationId'> {
  readonly signal?: AbortSignal
}

interface SentMessage {
  /** Seq of the last event before the message was sent. */
  readonly before: number
  readonly messageId: MessageId
  readonly tail: LiveTail
}

export type MessageInput = string | readonly InputItem[]

/** Turns of one followed conversation: the running turn, and the turns of messages sent from here. */
export class ConversationTurns {
  readonly #followed: FollowedStream
  readonly #hasHandler: () => boolean
  /** Value last returned by `current`. */
  #running: Turn | null = null

  /** `hasHandler`: returns true while a handler of this client answers approvals. */
  constructor(followed: FollowedStream, hasHandler: () => boolean) {
    this.#followed = followed
    this.#hasHandler = hasHandler
  }

  get current(): Turn | null {
    const { turn } = this.#followed.store.state.core
    if (turn === null) return null
    if (this.#running?.id !== turn.id) this.#running = this.#join(turn.id)
    return this.#running
  }

  async send(input: MessageInput, { signal, ...options }: SendOptions): Promise<Turn> {
    signal?.throwIfAborted()
    const { client, store, ended } = this.#followed
    ended.throwIfAborted()
    const before = store.state.core.seq
    const messageId = options.messageId ?? crypto.randomUUID()
    // Collects the events that arrive with the answer; the turn would have to read them from the log otherwise.
    const tail = openTail(store, ended)
    tail.restart()
    const sent = client.request('conversation/sendMessage', {
      ...options,
      conversationId: store.conversationId,
      messageId,
      input: typeof input === 'string' ? [{ type: 'text', text: input }] : [...input],
    })
    const turn = this.#begun(await orDispose(sent, tail), { before, messageId, tail })
    if (signal !== undefined) this.#stopOn(signal, turn, messageId)
    return turn
  }

  async leaveOut({ signal, ...options }: LeaveOutOptions): Promise<Turn> {
    signal?.throwIfAborted()
    const { client, store, ended } = this.#followed
    ended.throwIfAborted()
    const { conversationId } = store
    const { turnId, seq } = await client.request('conversation/context/leaveOut', { ...options, conversationId })
    // The server records the request right behind the start of its turn.
    const turn = this.#create({ key: { turnId }, after: { seq: Math.max(0, seq - 2) } })
    if (signal !== undefined) this.#stopOn(signal, turn, null)
    return turn
  }

  #begun(
    { seq, turnId, disposition }: ResultOf<'conversation/sendMessage'>,
    { before, messageId, tail }: SentMessage,
  ): Turn {
    const key = disposition === 'started' && turnId !== null ? { turnId } : { messageId }
    // A repeated message has an older seq; its turn began one event before the message.
    const after = { seq: Math.max(0, Math.min(before, seq - 2)) }
    if (after.seq === before) return this.#create({ key, after, tail })
    tail[Symbol.dispose]()
    return this.#create({ key, after })
  }

  #create(which: Omit<TurnSetup, 'followed' | 'isAnswerable'>): Turn {
    const isAnswerable = (approval: ApprovalRequest) => this.#isAnswerable(approval)
    return createTurn({ ...which, followed: this.#followed, isAnswerable })
  }

  #join(turnId: TurnId): Turn {
    const { core, window } = this.#followed.store.state
    const said = window.filter(({ turnId: of }) => of === turnId).map(({ item }) => item)
    const begun = [...Object.keys(core.open), ...Object.keys(core.approvals)]
    const turn = this.#create({
      key: { turnId, begun },
      after: { seq: core.seq },
      before: said,
      unanswered: () => this.#unanswered(turnId),
    })
    // A later access follows the turn anew, perhaps with a handler for approvals.
    turn.result.catch(() => {
      if (this.#running === turn) this.#running = null
    })
    return turn
  }

  #stopOn(signal: AbortSignal, turn: Turn, messageId: MessageId | null): void {
    const stop = () => {
      // The turn may have ended meanwhile.
      this.#stop(turn, messageId, signal).catch(() => undefined)
    }
    const forget = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop, { once: true })
    turn.result.then(forget, forget)
    if (signal.aborted) stop()
  }

  async #stop(turn: Turn, messageId: MessageId | null, { reason }: AbortSignal): Promise<void> {
    if (turn.id !== null) return await this.#interrupt(turn.id, reason)
    if (messageId === null) return
    const { client, store } = this.#followed
    try {
      await client.request('conversation/inbox/remove', { conversationId: store.conversationId, messageId })
    } catch (error) {
      if (codeOf(error) !== 'messageNotQueued') throw error
      // The turn has begun; its id arrives with the next events.
      for await (const event of turn)
        if ('turnId' in event && event.turnId !== undefined) return await this.#interrupt(event.turnId, reason)
    }
  }

  async #interrupt(turnId: TurnId, reason: unknown): Promise<void> {
    const { client, store } = this.#followed
    const why = givenReason(reason)
    const told = why === null ? {} : { why }
    await client.request('conversation/interrupt', { conversationId: store.conversationId, turnId, ...told })
  }

  /**
   * Resolves to a pending approval that no connected client can answer, or null. Asks the server for its clients, since
   * clients named in the approval may have left.
   */
  async #unanswered(turnId: TurnId): Promise<ApprovalRequest | null> {
    const { client, store } = this.#followed
    const pending = () => unansweredApprovals(store.state.core).find((approval) => approval.turnId === turnId)
    if (pending() === undefined) return null
    const { clients } = await client.request('server/diagnostics', {})
    const { clientId } = client.server
    if (this.#hasHandler() || clients.some((other) => other.clientId !== clientId && other.access === 'full'))
      return null
    return pending() ?? null
  }

  #isAnswerable({ answerableBy }: ApprovalRequest): boolean {
    const { clientId } = this.#followed.client.server
    return this.#hasHandler() || answerableBy.some((id) => id !== clientId)
  }
}

/** Resolves with the work; disposes the resource if it fails. */
async function orDispose<Result>(work: Promise<Result>, resource: Disposable): Promise<Result> {
  try {
    return await work
  } catch (error) {
    resource[Symbol.dispose]()
    throw error
  }
}

/** Longest sentence that the server takes, in characters. */
const longestReason = 500

/** Returns the message of the error that a signal was aborted with; null for an abort without a reason of its own. */
function givenReason(reason: unknown): string | null {
  if (!(reason instanceof Error) || reason.name === 'AbortError' || reason.message === '') return null
  return reason.message.slice(0, longestReason).toWellFormed()
}
