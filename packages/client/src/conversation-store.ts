import { type ConversationState, type Envelope, reduce } from '@parley/protocol'
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

/** Streams a conversation: state, then every event once and in order; should one be missing, the state anew. */
export async function openConversationStore(client: Client, conversationId: string): Promise<ConversationStore> {
  const listeners = new Set<(envelope: Envelope | null) => void>()
  let early: Envelope[] | null = []
  let state: ConversationState | null = null
  const unlisten = client.onEvent(conversationId, take)

  function take(envelope: Envelope): void {
    if (early !== null || state === null) {
      early?.push(envelope)
      return
    }
    if (envelope.seq <= state.core.seq) return
    // Numbers are dense but for what a damaged log lost; either way the server's state is whole.
    if (envelope.seq > state.core.seq + 1) return void stream().catch(() => undefined)
    state = reduce(state, envelope)
    for (const listener of listeners) listener(envelope)
  }

  async function stream(): Promise<void> {
    early ??= []
    const reply = await client.request('conversation/stream', { conversationId })
    if (reply.state !== undefined) {
      state = reply.state
      for (const listener of listeners) listener(null)
    }
    const waiting = early
    early = null
    for (const envelope of waiting) take(envelope)
  }

  await stream()
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
    refresh: stream,
    async close() {
      unlisten()
      await client.request('conversation/unstream', { conversationId })
    },
  }
}
