import { type ConversationState, type Cursor, type Envelope, reduce } from '@parley/protocol'
import { type Client, isEnvelope } from '../connection/client.ts'
/** Told of each folded event, in order, and with null when the server's state replaced ours. */
export type StoreListener = (envelope: Envelope | null) => void

/** A conversation as this client sees it: the server's state, folded here with the same reducer. */
export interface ConversationStore {
  readonly conversationId: string
  readonly state: ConversationState
  /** Returns how to stop. */
  subscribe(listener: StoreListener): () => void
  /** Asks for the state anew, e.g. after settings changed before the first message. */
  refresh(): Promise<void>
  /** Stops delivery; the conversation goes on. */
  close(): Promise<void>
}

/** Streams a conversation: state, then every event once and in order; a gap is closed from the server's log. */
export async function openConversationStore(client: Client, conversationId: string): Promise<ConversationStore> {
  const store = new StreamedConversation(client, conversationId)
  await store.refresh()
  return store
}

class StreamedConversation implements ConversationStore {
  readonly conversationId: string
  readonly #client: Client
  readonly #listeners = new Set<StoreListener>()
  readonly #unlisten: () => void
  #state: ConversationState | null = null
  #crc: string | null = null
  /** What arrives while an answer is awaited: deliveries may overtake whoever waits for it. */
  #early: Envelope[] | null = []
  /** The event that came too soon. The server sends it again, and first what was missing before it. */
  #gapSeq: number | null = null

  constructor(client: Client, conversationId: string) {
    this.#client = client
    this.conversationId = conversationId
    this.#unlisten = client.onEvent(conversationId, (envelope) => this.#take(envelope))
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

  async close(): Promise<void> {
    this.#unlisten()
    await this.#client.request('conversation/unstream', { conversationId: this.conversationId })
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
    // Still the deliveries from before the gap was noticed.
    if (this.#gapSeq !== null && seq > this.#gapSeq) return
    // What the server sends first after our cursor is next to it in the log, whatever a damaged log has lost between.
    this.#gapSeq = null
    this.#fold(envelope)
  }

  #fold(envelope: Envelope): void {
    this.#state = reduce(this.state, envelope)
    this.#crc = envelope.crc ?? null
    this.#tell(envelope)
  }

  /** A listener that throws costs the others nothing; what it threw is an exception that nobody caught. */
  #tell(envelope: Envelope | null): void {
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

  /** When it fails the next event is a gap again, and asks again. */
  async #closeGap(after: Cursor): Promise<void> {
    try {
      await this.#stream(after)
    } catch {
      this.#gapSeq = null
      this.#early = null
    }
  }

  async #stream(after: Cursor | null): Promise<void> {
    this.#early ??= []
    const { conversationId } = this
    const reply = await this.#client.request('conversation/stream', {
      conversationId,
      ...(after === null ? {} : { after }),
    })
    if (reply.state !== undefined) {
      this.#state = reply.state
      this.#crc = reply.cursor.crc
      this.#gapSeq = null
      this.#tell(null)
    }
    const waiting = [...(reply.events ?? []).filter(isEnvelope), ...this.#early]
    this.#early = null
    for (const envelope of waiting) this.#take(envelope)
  }
}
