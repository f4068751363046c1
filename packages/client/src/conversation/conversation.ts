import type {
  ApprovalId,
  ConversationId,
  ConversationState,
  ConversationSummary,
  Cursor,
  Envelope,
  ItemId,
  MethodName,
  ParamsOf,
  ResultOf,
  SettingsPatch,
  TurnId,
} from '@parley/protocol'
import type { Client } from '../connection/client.ts'
import { ClientError, isConnectionOver } from '../connection/errors.ts'
import { withinLimit } from '../connection/within-limit.ts'
import type { LastingClient, LinkState } from '../team/lasting-client.ts'
import {
  type ApprovalAnswer,
  type ApprovalHandler,
  type ApprovalOptions,
  answerApprovals,
  decide,
} from './answer-approvals.ts'
import type { ConversationStore, StoreListener } from './conversation-store.ts'
import { ConversationTurns, type LeaveOutOptions, type MessageInput, type SendOptions } from './conversation-turns.ts'
import { type FollowedStream, followEvents, leavable } from './follow-events.ts'
import { readFile } from './read-file.ts'
import type { Turn } from './turn.ts'

/** Methods about one conversation. A `Conversation` itself sends the two that stream it. */
export type ConversationMethod = Exclude<
  {
    [Name in MethodName]: ParamsOf<Name> extends { readonly conversationId: ConversationId } ? Name : never
  }[MethodName],
  'conversation/stream' | 'conversation/unstream'
>

export interface EventsOptions {
  /** Cursor of the last known event. Default: from now on; `{seq: 0, crc: null}` starts at the first event. */
  readonly after?: Cursor
  /** Ends the iteration, which throws the signal's reason. */
  readonly signal?: AbortSignal
}

export interface ConversationSetup {
  readonly client: Client
  readonly store: ConversationStore
  /** Returns the summary of the last opening: a conversation that is opened again stays the same object. */
  readonly summary: () => ConversationSummary
  /** True if `client` is a connection to another process, made because the conversation is live there. */
  readonly attached: boolean
  readonly serverPid: number | null
  /** Aborts with the reason when the connection is gone. */
  readonly lost: AbortSignal
  /** Present where the conversation moves from server to server. */
  readonly onLink?: LastingClient['onLink']
  /** Removes the conversation from its connection, and closes a connection that serves only this conversation. */
  leave(how: 'closed' | 'detached'): Promise<void>
}

/** A followed conversation: its state, its events and its requests. */
export class Conversation implements AsyncDisposable {
  readonly #parts: ConversationSetup
  readonly #left = new AbortController()
  readonly #followed: FollowedStream
  readonly #turns: ConversationTurns
  #handlers = 0
  #closing: Promise<void> | undefined

  constructor(parts: ConversationSetup) {
    const { client, store } = parts
    this.#parts = parts
    this.#followed = { client, store, ended: AbortSignal.any([parts.lost, this.#left.signal]) }
    this.#turns = new ConversationTurns(this.#followed, () => this.#handlers > 0)
    // No event follows, so readers here would wait for ever.
    const stopListening = client.onAccessEnded(store.conversationId, (message) =>
      this.#left.abort(new ClientError('accessEnded', message)),
    )
    // The connection may outlive the conversation by far.
    this.#left.signal.addEventListener('abort', stopListening, { once: true })
  }

  get id(): ConversationId {
    return this.summary.conversationId
  }

  /** Returns the summary at the time of opening, or of opening it again. */
  get summary(): ConversationSummary {
    return this.#parts.summary()
  }

  /** Returns true if the conversation was joined in another process, where it is live. */
  get attached(): boolean {
    return this.#parts.attached
  }

  /** Returns the process id of the server that has the conversation; null if only its address is known. */
  get serverPid(): number | null {
    return this.#parts.serverPid
  }

  /** Returns true if the server rejects every change from here: a view of the log, or a client that only watches. */
  get readOnly(): boolean {
    return this.summary.readOnly || this.#parts.client.introduction.access === 'readOnly'
  }

  /** Returns false after closing, or after the connection is gone. */
  get isOpen(): boolean {
    return !this.#followed.ended.aborted
  }

  /** Returns the fold of all events so far; a new value with each event. */
  get state(): ConversationState {
    return this.#parts.store.state
  }

  /** Calls the listener after each folded event, and with null after the server's state replaced the local one. Returns the function that removes it. */
  subscribe(listener: StoreListener): () => void {
    return this.#parts.store.subscribe(listener)
  }

  /** Returns the current turn, followed from the first access on; null if no turn runs. */
  get turn(): Turn | null {
    return this.#turns.current
  }

  /** Sends a message and resolves once the server has it. Rejects with the server's error, the signal's reason, or `closed`. */
  send(input: MessageInput, options: SendOptions = {}): Promise<Turn> {
    return this.#turns.send(input, options)
  }

  /**
   * Removes from the model's view the content that the provider refused (`lastTurn.failure.refused` in the state), and
   * goes on in a turn without a message.
   */
  leaveOut(options: LeaveOutOptions = {}): Promise<Turn> {
    return this.#turns.leaveOut(options)
  }

  /** Iterates over every event with its cursor: from now on, or after a given cursor. */
  events({ after, signal }: EventsOptions = {}): AsyncIterableIterator<Envelope> {
    const start = after ?? { seq: this.state.core.seq }
    return leavable(this.#followed, (followed) => followEvents(followed, { after: start, signal }))
  }

  /**
   * Answers approvals with the handler, pending ones included. Sends one answer for each: the handler's, or `denied` when
   * it throws or exceeds the timeout. The first answer of all clients counts. A read-only client is never asked.
   */
  onApproval(handler: ApprovalHandler, options?: ApprovalOptions): Disposable {
    this.#followed.ended.throwIfAborted()
    if (this.readOnly) return { [Symbol.dispose]: () => undefined }
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
  decide(approvalId: ApprovalId, answer: NonNullable<ApprovalAnswer>): Promise<void> {
    return decide(this.#followed, approvalId, answer)
  }

  /** Interrupts the running turn; with an id only that turn, and throws `turnMismatch` if another one runs. Resolves to false if no turn ran. */
  async interrupt(turnId?: TurnId): Promise<boolean> {
    const { interrupted } = await this.request('conversation/interrupt', turnId === undefined ? {} : { turnId })
    return interrupted
  }

  /** Continues a parked turn or a paused inbox. Resolves to false if neither was there. */
  async continue(): Promise<boolean> {
    const { continued } = await this.request('conversation/continue', {})
    return continued
  }

  /** Changes settings from the next model call on. */
  async configure(settings: SettingsPatch): Promise<void> {
    await this.request('conversation/configure', { settings })
    // Before the first message the server records no event about settings.
    if (this.state.core.seq === 0) await this.#parts.store.refresh()
  }

  async rename(name: string): Promise<void> {
    await this.request('conversation/rename', { name })
  }

  /** Reads completed items before a seq, oldest first, also items that `state.window` has no longer. */
  read(page: Omit<ParamsOf<'conversation/read'>, 'conversationId'> = {}): Promise<ResultOf<'conversation/read'>> {
    return this.request('conversation/read', page)
  }

  /** Looks up past turns, oldest first. */
  turns(page: Omit<ParamsOf<'conversation/turns'>, 'conversationId'> = {}): Promise<ResultOf<'conversation/turns'>> {
    return this.request('conversation/turns', page)
  }

  /** Reads the old and the new text of the files of a change, also of a change that waits for an answer. */
  async readChange(itemId: ItemId): Promise<ResultOf<'conversation/readChange'>['files']> {
    return (await this.request('conversation/readChange', { itemId })).files
  }

  /** Reads a file that an item names whole, such as a picture. Throws `itemNotFound` for one that is missing. */
  readFile(file: string): Promise<Buffer> {
    return readFile(this.#parts.client, { conversationId: this.id, file })
  }

  /** Calls the listener with the number of clients when it changes. Returns the function that removes it. */
  onClients(listener: (clients: number) => void): () => void {
    return this.#parts.client.onClients(this.id, listener)
  }

  /** Calls the listener, with a sentence, when an owner takes the conversation away or a link expires. Returns the function that removes it. */
  onAccessEnded(listener: (message: string) => void): () => void {
    return this.#parts.client.onAccessEnded(this.id, listener)
  }

  /** Calls the listener when one of several servers is lost, and when the conversation goes on at another. Returns the function that removes it. */
  onLink(listener: (link: LinkState) => void): () => void {
    return this.#parts.onLink?.(listener) ?? (() => undefined)
  }

  /** Counts the clients that follow the conversation, this one included. */
  async countClients(): Promise<number> {
    const { conversations } = await this.#parts.client.request('server/diagnostics', {})
    return conversations.find(({ conversationId }) => conversationId === this.id)?.clients ?? 1
  }

  /** Sends any request about this conversation that has no method of its own, and resolves to its result. */
  request<Name extends ConversationMethod>(
    method: Name,
    params: Omit<ParamsOf<Name>, 'conversationId'>,
  ): Promise<ResultOf<Name>> {
    const complete: unknown = { ...params, conversationId: this.id }
    return this.#parts.client.request(method, complete as ParamsOf<Name>) // narrowed: the type of `params` lacks the id only
  }

  /**
   * Closes the conversation and keeps its turn running, with approvals pending, after every client has left. Rejects, and
   * leaves the conversation open here, if the server rejects it, is gone or does not answer within 2 s.
   */
  async detach(): Promise<void> {
    if (this.#closing === undefined) await withinLimit(this.request('conversation/detach', {}), farewellLimit)
    this.#closing ??= this.#leave('detached')
    return this.#closing
  }

  /**
   * Stops following: iterations end, and pending results reject with `closed`. A running turn continues while any
   * client is connected.
   */
  close(): Promise<void> {
    this.#closing ??= this.#leave('closed')
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Ends the stream first, unless the conversation was detached: the server has ended that stream with the request. */
  async #leave(how: 'closed' | 'detached'): Promise<void> {
    this.#left.abort(new ClientError('closed', 'The conversation was closed here.'))
    try {
      if (how === 'closed') await withinLimit(this.#parts.store.close(), farewellLimit)
    } catch (error) {
      // The server is gone or hangs.
      if (!isConnectionOver(error)) throw error
    } finally {
      await this.#parts.leave(how)
    }
  }
}

const farewellLimit = {
  limitMs: 2_000,
  expired: () => new ClientError('connectionClosed', 'The server does not answer.'),
}
