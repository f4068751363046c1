import type {
  Approval,
  ApprovalRequest,
  ConversationState,
  ConversationSummary,
  Cursor,
  Envelope,
  InputItem,
  ParamsOf,
  ResultOf,
  SettingsPatch,
} from '@parley/protocol'
import type { Client } from '../connection/client.ts'
import { ClientError, codeOf } from '../connection/errors.ts'
import { withinLimit } from '../connection/within-limit.ts'
import { type ApprovalAnswer, type ApprovalHandler, type ApprovalOptions, answerApprovals } from './answer-approvals.ts'
import type { ConversationStore, StoreListener } from './conversation-store.ts'
import { type Followed, followEvents, leavable } from './follow-events.ts'
import { createTurn, type Turn, type TurnParts } from './turn.ts'

/** What goes with a message: see `conversation/sendMessage`. */
export interface SendOptions extends Omit<ParamsOf<'conversation/sendMessage'>, 'conversationId' | 'input'> {
  /** Interrupts the turn, or takes the message back while it waits. The turn still ends by its event. */
  readonly signal?: AbortSignal
}

export interface EventsOptions {
  /** The last event you have, from an earlier run too. Default: from now on. `{seq: 0, crc: null}`: from the first. */
  readonly after?: Cursor
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal
}

export interface ConversationParts {
  readonly client: Client
  readonly store: ConversationStore
  readonly summary: ConversationSummary
  /** It lives in another process than the one we are connected to. */
  readonly attached: boolean
  /** Aborts when the connection is gone, with the reason. */
  readonly lost: AbortSignal
  /** A connection that is ours alone ends with the conversation. */
  leave(how: 'closed' | 'detached'): Promise<void>
}

const farewellLimit = {
  limitMs: 2_000,
  expired: () => new ClientError('connectionClosed', 'The server does not answer.'),
}

/** A conversation that is followed from here: its state, its events, and what can be asked of it. */
export class Conversation implements AsyncDisposable {
  /** As it was when it was opened. */
  readonly summary: ConversationSummary
  readonly attached: boolean
  readonly #parts: ConversationParts
  readonly #left = new AbortController()
  readonly #ended: AbortSignal
  #handlers = 0
  /** What `turn` gave last. */
  #running: Turn | null = null
  #closing: Promise<void> | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.summary = parts.summary
    this.attached = parts.attached
    this.#ended = AbortSignal.any([parts.lost, this.#left.signal])
  }

  get id(): string {
    return this.summary.conversationId
  }

  /** False once it was closed here, or the connection is gone. */
  get isOpen(): boolean {
    return !this.#ended.aborted
  }

  /** The fold of all events so far; a new value with each event. */
  get state(): ConversationState {
    return this.#parts.store.state
  }

  /** Calls back after each folded event, and with null when the server's state replaced ours. Returns how to stop. */
  subscribe(listener: StoreListener): () => void {
    return this.#parts.store.subscribe(listener)
  }

  /** The turn that runs or waits, followed from where it was first asked for; null when there is none. */
  get turn(): Turn | null {
    const { turn } = this.state.core
    if (turn === null) return null
    if (this.#running?.id !== turn.id) this.#running = this.#joinTurn(turn.id)
    return this.#running
  }

  /** Sends a message and resolves once the server has it. Throws the server's `RpcError`, the signal's reason, or why we left. */
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
    // A message that was sent before has its place further back; its turn began one event before it.
    const turn = this.#turn({ key, after: { seq: Math.max(0, Math.min(before, seq - 2)) } })
    if (signal !== undefined) this.#stopOn(signal, turn, messageId)
    return turn
  }

  /** Every event, with its place: from now on, or after a cursor. */
  events({ after, signal }: EventsOptions = {}): AsyncIterableIterator<Envelope> {
    const place = after ?? { seq: this.state.core.seq }
    return leavable(this.#followed, (followed) => followEvents(followed, { after: place, signal }))
  }

  /**
   * Answers approvals, those that are pending already included. Exactly one answer is sent for each: what the handler
   * returns, and `denied` when it throws or takes too long. The first answer of all clients counts.
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

  /** Answers one approval by hand. Rejects with `approvalNotPending` when it is settled. */
  async decide(approvalId: string, answer: NonNullable<ApprovalAnswer>): Promise<void> {
    const decided = typeof answer === 'string' ? { decision: answer } : answer
    await this.#parts.client.request('approval/decide', { ...decided, conversationId: this.id, approvalId })
  }

  /** Stops the running turn. False when nothing ran. */
  async interrupt(): Promise<boolean> {
    const { interrupted } = await this.#parts.client.request('conversation/interrupt', { conversationId: this.id })
    return interrupted
  }

  /** Lets a parked turn, or a paused inbox, go on. False when nothing waited. */
  async continue(): Promise<boolean> {
    const { continued } = await this.#parts.client.request('conversation/continue', { conversationId: this.id })
    return continued
  }

  /** From the next model call on. */
  async configure(settings: SettingsPatch): Promise<void> {
    await this.#parts.client.request('conversation/configure', { conversationId: this.id, settings })
    // Before the first message there is no event to tell of it.
    if (this.state.core.seq === 0) await this.#parts.store.refresh()
  }

  async rename(name: string): Promise<void> {
    await this.#parts.client.request('conversation/rename', { conversationId: this.id, name })
  }

  /** Completed items before a seq, oldest first: what is no longer in `state.window`. */
  read(page: Omit<ParamsOf<'conversation/read'>, 'conversationId'> = {}): Promise<ResultOf<'conversation/read'>> {
    return this.#parts.client.request('conversation/read', { ...page, conversationId: this.id })
  }

  /** Leaves for good what runs: it goes on, and waits for answers, when every client has left. */
  async detach(): Promise<void> {
    await this.#end('detached', () => this.#parts.client.request('conversation/detach', { conversationId: this.id }))
  }

  /**
   * Stops following: iterations end, and results that are awaited reject with `closed`. A turn that runs goes on as
   * long as somebody is connected.
   */
  close(): Promise<void> {
    return this.#end('closed', () => this.#parts.store.close())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Once: whoever closes again waits for the same end. */
  #end(how: 'closed' | 'detached', sayFarewell: () => Promise<unknown>): Promise<void> {
    this.#closing ??= this.#leave(how, sayFarewell)
    return this.#closing
  }

  async #leave(how: 'closed' | 'detached', sayFarewell: () => Promise<unknown>): Promise<void> {
    this.#left.abort(new ClientError('closed', 'The conversation was closed here.'))
    try {
      await withinLimit(sayFarewell(), farewellLimit)
    } catch (error) {
      // Nobody is there to hear it, or who is there hangs.
      if (codeOf(error) !== 'connectionClosed') throw error
    } finally {
      await this.#parts.leave(how)
    }
  }

  #stopOn(signal: AbortSignal, turn: Turn, messageId: string): void {
    const stop = () => {
      // What it was to stop may have ended meanwhile.
      this.#stop(turn, messageId).catch(() => undefined)
    }
    const forget = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop, { once: true })
    turn.result.then(forget, forget)
    if (signal.aborted) stop()
  }

  async #stop(turn: Turn, messageId: string): Promise<void> {
    if (turn.id !== null) return await this.#interruptTurn(turn.id)
    try {
      await this.#parts.client.request('conversation/inbox/remove', { conversationId: this.id, messageId })
    } catch (error) {
      if (codeOf(error) !== 'messageNotQueued') throw error
      // Its turn has begun; the events that tell which one are on their way.
      for await (const event of turn)
        if ('turnId' in event && event.turnId !== undefined) return await this.#interruptTurn(event.turnId)
    }
  }

  async #interruptTurn(turnId: string): Promise<void> {
    await this.#parts.client.request('conversation/interrupt', { conversationId: this.id, turnId })
  }

  get #followed() {
    const { client, store } = this.#parts
    return { client, store, ended: this.#ended }
  }

  #turn(which: Omit<TurnParts, keyof Followed | 'isAnswerable'>): Turn {
    return createTurn({ ...this.#followed, ...which, isAnswerable: (approval) => this.#isAnswerable(approval) })
  }

  #joinTurn(turnId: string): Turn {
    const { core, window } = this.state
    const said = window.findLast(({ item, turnId: of }) => item.type === 'agentMessage' && of === turnId)
    const begun = [...Object.keys(core.open), ...Object.keys(core.approvals)]
    const turn = this.#turn({
      key: { turnId, begun },
      after: { seq: core.seq },
      saidBefore: said?.item.text ?? '',
      unanswered: () => this.#unanswered(turnId),
    })
    // Who asks again may be able to answer by then.
    turn.result.catch(() => {
      if (this.#running === turn) this.#running = null
    })
    return turn
  }

  /** Who was connected when it was asked may have left since, so the server is asked who is. */
  async #unanswered(turnId: string): Promise<ApprovalRequest | null> {
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
