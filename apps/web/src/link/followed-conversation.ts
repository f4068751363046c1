import { type Client, type ConversationStore, codeOf, openConversationStore } from '@parley/client/browser'
import type { ConversationId, ConversationState } from '@parley/protocol'
import type { Link } from './link.ts'

/** Conversation as the page knows it. */
export interface FollowedSnapshot {
  /** State; null until it has been opened. */
  readonly state: ConversationState | null
  /** True where nothing can be sent. */
  readonly isView: boolean
  /** Reason why it could not be opened; null when it is open or being opened. */
  readonly problem: string | null
  /** True for a view of the log: another process has it open. */
  readonly isElsewhere: boolean
}

/** A conversation that is followed over any number of connections. */
export interface FollowedConversation {
  readonly snapshot: FollowedSnapshot
  subscribe(listener: () => void): () => void
  /** Stops following. */
  close(): void
}

/** Shortest time between two renderings, in ms. */
const renderMs = 30

/** Opens a conversation and follows it; after a lost link it goes on from the last event it has. */
export function followConversation(link: Link, conversationId: ConversationId): FollowedConversation {
  const listeners = new Set<() => void>()
  let snapshot: FollowedSnapshot = { state: null, isView: false, problem: null, isElsewhere: false }
  let store: ConversationStore | null = null
  let client: Client | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let isClosed = false

  function show(change: Partial<FollowedSnapshot>): void {
    snapshot = { ...snapshot, ...change }
    for (const listener of listeners) listener()
  }

  function showSoon(): void {
    timer ??= setTimeout(() => {
      timer = null
      if (store !== null) show({ state: store.state })
    }, renderMs)
  }

  async function attach(next: Client, isReadOnly: boolean): Promise<void> {
    client = next
    try {
      const opened = await resume(next, conversationId, isReadOnly)
      if (store === null) {
        store = await openConversationStore(next, conversationId)
        store.subscribe(showSoon)
      } else await store.moveTo(next)
      if (client !== next) return
      if (isClosed) await store.close().catch(() => undefined)
      show({ state: store.state, problem: null, ...opened })
    } catch (error) {
      if (codeOf(error) !== 'connectionClosed' && client === next)
        show({ problem: error instanceof Error ? error.message : String(error) })
    }
  }

  function look(): void {
    const { state } = link
    if (state.kind === 'up' && state.client !== client) void attach(state.client, state.access === 'readOnly')
  }

  const unlisten = link.subscribe(look)
  look()
  return {
    get snapshot() {
      return snapshot
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      isClosed = true
      unlisten()
      if (timer !== null) clearTimeout(timer)
      store?.close().catch(() => undefined)
    },
  }
}

type Opened = Pick<FollowedSnapshot, 'isView' | 'isElsewhere'>

/** Opens the conversation, or its log as it is now where another process has it open or nothing may be changed. */
async function resume(client: Client, conversationId: ConversationId, isReadOnly: boolean): Promise<Opened> {
  const view = async () => {
    const { readOnly } = await client.request('conversation/resume', { conversationId, readOnly: true })
    return isReadOnly || readOnly
  }
  try {
    if (isReadOnly) return { isView: await view(), isElsewhere: false }
    const { readOnly } = await client.request('conversation/resume', { conversationId })
    return { isView: readOnly, isElsewhere: false }
  } catch (error) {
    if (codeOf(error) === 'liveElsewhere') return { isView: await view(), isElsewhere: true }
    // One without a message cannot be resumed, but it may be open here.
    if (codeOf(error) === 'conversationNotFound') return { isView: isReadOnly, isElsewhere: false }
    throw error
  }
}
