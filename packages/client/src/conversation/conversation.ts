import type {
  Approval,
  ApprovalId,
  ApprovalRequest,
  ConversationId,
  ConversationState,
  ConversationSummary,
  Cursor,
  Envelope,
  InputItem,
  MessageId,
  ParamsOf,
  ResultOf,
  SettingsPatch,
  TurnId,
} from '@parley/protocol'
import type { Client } from '../connection/client.ts'
import { ClientError, codeOf } from '../connection/errors.ts'
import { withinLimit } from '../connection/within-limit.ts'
import { type ApprovalAnswer, type ApprovalHandler, type ApprovalOptions, answerApprovals } from './answer-approvals.ts'
import type { ConversationStore, StoreListener } from './conversation-store.ts'
import { type Followed, followEvents, leavable } from './follow-events.ts'
import { createTurn, type Turn, type TurnParts } from './turn.ts'

/** Options of a message, as in the request `conversation/sendMessage`. */
export interface SendOptions extends Omit<ParamsOf<'conversation/sendMessage'>, 'conversationId' | 'input'> {
  /** Interrupts the turn, or removes the message while it is queued. The turn still ends by its event. */
  readonly signal?: AbortSignal
}

export interface EventsOptions {
  /** Cursor of the last known event. Default: from now on; `{seq: 0, crc: null}` starts at the first event. */
  readonly after?: Cursor
  /** Ends the iteration, which throws the signal's reason. */
  readonly signal?: AbortSignal
}

export interface ConversationParts {
  readonly client: Client
  readonly store: ConversationStore
  readonly summary: ConversationSummary
  /** True if the conversation is live in another process and `client` is a connection to that one. */
  readonly attached: boolean
  /** Aborts with the reason when the connection is gone. */
  readonly lost: AbortSignal
  /** Removes the conversation from its connection, and closes a connection that serves only this conversation. */
  leave(how: 'closed' | 'detached'): Promise<void>
}

const farewellLimit = {
  limitMs: 2_000,
  expired: () => new ClientError('connectionClosed', 'The server does not answer.'),
}

/** A followed conversation: its state, its events and its requests. */
export class Conversation implements AsyncDisposable {
  /** Summary at the time of opening. */
  readonly summary: ConversationSummary
  readonly attached: boolean
  readonly #parts: ConversationParts
  readonly #left = new AbortController()
  readonly #ended: AbortSignal
  #handlers = 0
  /** Value last returned by `turn`. */
  #running: Turn | null = null
  #closing: Promise<void> | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.summary = parts.summary
    this.attached = parts.attached
    this.#ended = AbortSignal.any([parts.lost, this.#left.signal])
  }

  get id(): ConversationId {
    return this.summary.conversationId
  }

  /** Returns false after closing, or after the connection is gone. */
  get isOpen(): boolean {
    return !this.#ended.aborted
  }

  /** Returns the fold of all events so far; a new value with each event. */
  get state(): ConversationState {
    return this.#parts.store.state
  }

  /** Calls the listener after each folded event, and with null after the server's state replaced the local one. Returns the function that removes it. */
  subscribe(listener: StoreListener): () => void {
    return this.#parts.store.subscribe(listener)
  }

  /** Returns the current turn, followed from the first access on; null if there is none. */
  get turn(): Turn | null {
    const { turn } = this.state.core
    if (turn === null) return null
    if (this.#running?.id !== turn.id) this.#running = this.#joinTurn(turn.id)
    return this.#running
  }

  /** Sends a message and resolves once the server has it. Rejects with the server's error, the signal's reason, or `closed`. */
  async send(input: string | readonly InputItem[], { signal, ...options }: SendOptions = {}): Promise<Turn> {
    signal?.throwIfAborted()
    this.#ended.throwIfAborted()
    const before = this.state.core.seq
    const messageId = options.messageId ?? crypto.randomUUID()
    const { seq, turnId, disposition } = await this.#parts.client.request('conversation/sendMessage', {
      ...options,
      conversationId: this.id,
      messageId,
      input: typeof input === 'string' ? [{ type: 'text', text: input }] : [...input],
    })
    const key = disposition === 'started' && turnId !== null ? { turnId } : { messageId }
    // A repeated message has an older seq; its turn began one event before the message.
    const turn = this.#turn({ key, after: { seq: Math.max(0, Math.min(before, seq - 2)) } })
    if (signal !== undefined) this.#stopOn(signal, turn, messageId)
    return turn
  }

  /** Iterates over every event with its cursor: from now on, or after a given cursor. */
  events({ after, signal }: EventsOptions = {}): AsyncIterableIterator<Envelope> {
    const place = after ?? { seq: this.state.core.seq }
    return leavable(this.#followed, (followed) => followEvents(followed, { after: place, signal }))
  }

  /**
   * Answers approvals with the handler, pending ones included. Sends one answer for each: the handler's, or `denied` when
   * it throws or exceeds the timeout. The first answer of all clients counts.
   */
  onApproval(handler: ApprovalHandler, options?: ApprovalOptions): Disposable {
    this.#ended.throwIfAborted()
    const answering = answerApprovals(this.#followed, handler, options)
    this.#handlers++
    let isOver = false
    return {
      [Symbol.dispose]: () => {
        if (isOver) return
        isOver = true
        this.#handlers--
        answering[Symbol.dispose]()
      },
    }
  }

  /** Answers one approval. Throws `approvalNotPending` if it is settled. */
  async decide(approvalId: ApprovalId, answer: NonNullable<ApprovalAnswer>): Promise<void> {
    const decided = typeof answer === 'string' ? { decision: answer } : answer
    await this.#parts.client.request('approval/decide', { ...decided, conversationId: this.id, approvalId })
  }

  /** Interrupts the running turn. Resolves to false if there was none. */
  async interrupt(): Promise<boolean> {
    const { interrupted } = await this.#parts.client.request('conversation/interrupt', { conversationId: this.id })
    return interrupted
  }

  /** Continues a parked turn or a paused inbox. Resolves to false if neither was there. */
  async continue(): Promise<boolean> {
    const { continued } = await this.#parts.client.request('conversation/continue', { conversationId: this.id })
    return continued
  }

  /** Changes settings from the next model call on. */
  async configure(settings: SettingsPatch): Promise<void> {
    await this.#parts.client.request('conversation/configure', { conversationId: this.id, settings })
    // Before the first message the server records no event about settings.
    if (this.state.core.seq === 0) await this.#parts.store.refresh()
  }

  async rename(name: string): Promise<void> {
    await this.#parts.client.request('conversation/rename', { conversationId: this.id, name })
  }

  /** Reads completed items before a seq, oldest first: those no longer in `state.window`. */
  read(page: Omit<ParamsOf<'conversation/read'>, 'conversationId'> = {}): Promise<ResultOf<'conversation/read'>> {
    return this.#parts.client.request('conversation/read', { ...page, conversationId: this.id })
  }

  /** Closes the conversation and keeps its turn running, with approvals pending, after every client has left. */
  async detach(): Promise<void> {
    await this.#end('detached', () => this.#parts.client.request('conversation/detach', { conversationId: this.id }))
  }

  /**
   * Stops following: iterations end, and pending results reject with `closed`. A running turn continues while any
   * client is connected.
   */
  close(): Promise<void> {
    return this.#end('closed', () => this.#parts.store.close())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Ends the conversation once; later calls return the same promise. */
  #end(how: 'closed' | 'detached', sayFarewell: () => Promise<unknown>): Promise<void> {
    this.#closing ??= this.#leave(how, sayFarewell)
    return this.#closing
  }

  async #leave(how: 'closed' | 'detached', sayFarewell: () => Promise<unknown>): Promise<void> {
    this.#left.abort(new ClientError('closed', 'The conversation was closed here.'))
    try {
      await withinLimit(sayFarewell(), farewellLimit)
    } catch (error) {
      // The server is gone or hangs.
      if (codeOf(error) !== 'connectionClosed') throw error
    } finally {
      await this.#parts.leave(how)
    }
  }

  #stopOn(signal: AbortSignal, turn: Turn, messageId: MessageId): void {
    const stop = () => {
      // The turn may have ended meanwhile.
      this.#stop(turn, messageId).catch(() => undefined)
    }
    const forget = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop, { once: true })
    turn.result.then(forget, forget)
    if (signal.aborted) stop()
  }

  async #stop(turn: Turn, messageId: MessageId): Promise<void> {
    if (turn.id !== null) return await this.#interruptTurn(turn.id)
    try {
      await this.#parts.client.request('conversation/inbox/remove', { conversationId: this.id, messageId })
    } catch (error) {
      if (codeOf(error) !== 'messageNotQueued') throw error
      // The turn has begun; its id arrives with the next events.
      for await (const event of turn)
        if ('turnId' in event && event.turnId !== undefined) return await this.#interruptTurn(event.turnId)
    }
  }

  async #interruptTurn(turnId: TurnId): Promise<void> {
    await this.#parts.client.request('conversation/interrupt', { conversationId: this.id, turnId })
  }

  get #followed() {
    const { client, store } = this.#parts
    return { client, store, ended: this.#ended }
  }

  #turn(which: Omit<TurnParts, keyof Followed | 'isAnswerable'>): Turn {
    return createTurn({ ...this.#followed, ...which, isAnswerable: (approval) => this.#isAnswerable(approval) })
  }

  #joinTurn(turnId: TurnId): Turn {
    const { core, window } = this.state
    const said = window.findLast(({ item, turnId: of }) => item.type === 'agentMessage' && of === turnId)
    const begun = [...Object.keys(core.open), ...Object.keys(core.approvals)]
    const turn = this.#turn({
      key: { turnId, begun },
      after: { seq: core.seq },
      saidBefore: said?.item.text ?? '',
      unanswered: () => this.#unanswered(turnId),
    })
    // A later access follows the turn anew, perhaps with a handler for approvals.
    turn.result.catch(() => {
      if (this.#running === turn) this.#running = null
    })
    return turn
  }

  /** Resolves to a pending approval that no connected client can answer, or null. Asks the server for its clients: those named in the approval may have left. */
  async #unanswered(turnId: TurnId): Promise<ApprovalRequest | null> {
    const isWaiting = ({ turnId: of, state }: Approval) => of === turnId && state === 'pending'
    if (!Object.values(this.state.core.approvals).some(isWaiting)) return null
    const { server, request } = this.#parts.client
    const { clients } = await request('server/diagnostics', {})
    if (this.#handlers > 0 || clients.some((other) => other.clientId !== server.clientId && other.access === 'full'))
      return null
    return Object.values(this.state.core.approvals).find(isWaiting) ?? null
  }

  #isAnswerable({ answerableBy }: ApprovalRequest): boolean {
    const { clientId } = this.#parts.client.server
    return this.#handlers > 0 || answerableBy.some((id) => id !== clientId)
  }
}
