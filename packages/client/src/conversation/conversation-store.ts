import {
  type ConversationId,
  type ConversationState,
  type Cursor,
  type Envelope,
  type ResultOf,
  reduce,
} from '@parley/protocol'
import { type Client, isEnvelope } from '../connection/client.ts'

/** Called after each folded event, in order, and with null after the server's state replaced the local one. */
export type StoreListener = (envelope: Envelope | null) => void

/** State of a conversation, folded from the server's events with the server's own reducer. */
export interface ConversationStore {
  readonly conversationId: ConversationId
  readonly state: ConversationState
  /** Adds a listener. Returns the function that removes it. */
  subscribe(listener: StoreListener): () => void
  /** Requests the state again: settings changed before the first message produce no event. */
  refresh(): Promise<void>
  /** Follows on another connection, where the conversation is open, from the last event that was folded here. */
  moveTo(client: Client): Promise<void>
  /** Stops delivery; the conversation itself continues. */
  close(): Promise<void>
}

/** Streams a conversation: its state, then every event once and in order. Gaps are filled from the server's log. */
export async function openConversationStore(
  client: Client,
  conversationId: ConversationId,
): Promise<ConversationStore> {
  const store = new StreamedConversation(client, conversationId)
  try {
    await store.refresh()
  } catch (error) {
    // The connection lives on, and would keep every event for it.
    store.stop()
    throw error
  }
  return store
}

class StreamedConversation implements ConversationStore {
  readonly conversationId: ConversationId
  readonly #listeners = new Set<StoreListener>()
  #client: Client
  #unlisten: () => void
  #state: ConversationState | null = null
  #crc: string | null = null
  /** Events that arrive while a reply is pending; null while no reply is pending. */
  #early: Envelope[] | null = []
  /** Number of pending replies. */
  #awaited = 0
  /** Seq of the event that revealed a gap. The server sends it again after the missing ones. */
  #gapSeq: number | null = null

  constructor(client: Client, conversationId: ConversationId) {
    this.#client = client
    this.conversationId = conversationId
    this.#unlisten = this.#listenTo(client)
  }

  get state(): ConversationState {
    if (this.#state === null) throw new Error('the server gave no state')
    return this.#state
  }

  subscribe(listener: StoreListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  refresh(): Promise<void> {
    return this.#stream(null)
  }

  moveTo(client: Client): Promise<void> {
    this.#unlisten()
    this.#client = client
    this.#gapSeq = null
    this.#unlisten = this.#listenTo(client)
    const known = this.#state?.core.seq ?? 0
    return this.#stream(known === 0 ? null : { seq: known, crc: this.#crc })
  }

  /** Takes no more events. The server is not told. */
  stop(): void {
    this.#unlisten()
  }

  async close(): Promise<void> {
    this.stop()
    await this.#client.request('conversation/unstream', { conversationId: this.conversationId })
  }

  #listenTo(client: Client): () => void {
    return client.onEvent(this.conversationId, (envelope) => this.#take(envelope))
  }

  #take(envelope: Envelope): void {
    const { seq } = envelope
    if (this.#early !== null || this.#state === null) {
      this.#early?.push(envelope)
      return
    }
    const known = this.#state.core.seq
    if (seq <= known) return
    if (this.#gapSeq === null && seq > known + 1) {
      this.#gapSeq = seq
      void this.#closeGap({ seq: known, crc: this.#crc })
      return
    }
    // Deliveries that were sent before the gap was noticed come again in order.
    if (this.#gapSeq !== null && seq > this.#gapSeq) return
    // The first event after the cursor is the next one in the log, even if a damaged log lost seqs in between.
    this.#gapSeq = null
    this.#fold(envelope)
  }

  #fold(envelope: Envelope): void {
    this.#state = reduce(this.state, envelope)
    this.#crc = envelope.crc ?? null
    this.#notify(envelope)
  }

  /** Calls every listener. Errors thrown by a listener become uncaught exceptions and do not stop the others. */
  #notify(envelope: Envelope | null): void {
    for (const listener of this.#listeners) {
      try {
        listener(envelope)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  /** Requests the missing events. After a failure the next event reveals the gap again. */
  async #closeGap(after: Cursor): Promise<void> {
    try {
      await this.#stream(after)
    } catch {
      this.#gapSeq = null
    }
  }

  async #stream(after: Cursor | null): Promise<void> {
    const reply = await this.#ask(after)
    if (reply.state !== undefined) {
      this.#state = reply.state
      this.#crc = reply.cursor.crc
      this.#gapSeq = null
      this.#notify(null)
    }
    // Another pending request may have ended the wait already.
    this.#endWait((reply.events ?? []).filter(isEnvelope))
  }

  async #ask(after: Cursor | null): Promise<ResultOf<'conversation/stream'>> {
    const { conversationId } = this
    this.#early ??= []
    this.#awaited += 1
    try {
      return await this.#client.request('conversation/stream', { conversationId, ...(after === null ? {} : { after }) })
    } catch (error) {
      // Without a reply the events that came meanwhile are the next ones, or reveal a gap.
      if (this.#awaited === 1) this.#endWait([])
      throw error
    } finally {
      this.#awaited -= 1
    }
  }

  /** Folds the events of a reply, then the events that came before the reply. */
  #endWait(given: readonly Envelope[]): void {
    const waiting = [...given, ...(this.#early ?? [])]
    this.#early = null
    for (const envelope of waiting) this.#take(envelope)
  }
}
