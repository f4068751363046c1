import { type ConversationState, type Cursor, type Envelope, reduce } from '@parley/protocol'
import type { Client } from './client.ts'

/** A conversation as this client sees it: the server's state, folded here with the same reducer. */
export interface ConversationStore {
  readonly conversationId: string
  readonly state: ConversationState
  /** Called after each folded event, and with null after a snapshot replaced the state. Returns how to stop. */
  subscribe(listener: (envelope: Envelope | null) => void): () => void
  /** Asks for the state anew, e.g. after settings changed before the first message. */
  refresh(): Promise<void>
  /** Stops delivery; the conversation goes on. */
  close(): Promise<void>
}

/** Streams a conversation: state, then every event once and in order; a gap is closed from the server's log. */
export async function openConversationStore(client: Client, conversationId: string): Promise<ConversationStore> {
  const listeners = new Set<(envelope: Envelope | null) => void>()
  let early: Envelope[] | null = []
  let state: ConversationState | null = null
  let crc: string | null = null
  const unlisten = client.onEvent(conversationId, take)

  function take(envelope: Envelope): void {
    if (early !== null || state === null) {
      early?.push(envelope)
      return
    }
    if (envelope.seq <= state.core.seq) return
    if (envelope.seq > state.core.seq + 1 && !mayJump(envelope))
      return void stream(cursorOf(state)).catch(() => undefined)
    state = reduce(state, envelope)
    crc = envelope.crc ?? null
    for (const listener of listeners) listener(envelope)
  }

  /** Numbers are dense but for what a damaged log lost, which the event after the hole says. */
  function mayJump({ event }: Envelope): boolean {
    return event.type === 'conversation.recovered'
  }

  function cursorOf({ core }: ConversationState): Cursor {
    return { seq: core.seq, crc }
  }

  async function stream(after: Cursor | null): Promise<void> {
    early ??= []
    const reply = await client.request('conversation/stream', { conversationId, ...(after === null ? {} : { after }) })
    if (reply.state !== undefined) {
      state = reply.state
      crc = reply.cursor.crc
      for (const listener of listeners) listener(null)
    }
    const waiting = early
    early = null
    for (const envelope of waiting) take(envelope)
  }

  await stream(null)
  return {
    conversationId,
    get state() {
      if (state === null) throw new Error('the server gave no state')
      return state
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh: () => stream(null),
    async close() {
      unlisten()
      await client.request('conversation/unstream', { conversationId })
    },
  }
}
