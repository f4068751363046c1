import {
  addressIn,
  type Client,
  type ConversationStore,
  codeOf,
  hasPageThere,
  openConversationStore,
} from '@parley/client/browser'
import type { ConversationId, ConversationState } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import type { Link } from './link.ts'
import { createListeners, type Listeners } from './listeners.ts'
import { pageAt } from './page-secret.ts'

/** Process that has a conversation open, and is not the one that the page is linked to. */
export interface Elsewhere {
  /** Address of the server; null for a process of the server's own machine. */
  readonly address: string | null
  /** Address of its page for the conversation; null where it serves none. */
  readonly page: string | null
}

/** Conversation as the page knows it. */
export interface FollowedSnapshot {
  /** State; null until it has been opened. */
  readonly state: ConversationState | null
  /** True where nothing can be sent. */
  readonly isView: boolean
  /** Reason why it could not be opened; null when it is open or being opened. */
  readonly problem: string | null
  /** Process that has it open, where this is a view of its log; else null. */
  readonly elsewhere: Elsewhere | null
  /** Reads the state anew: before the first message, no event tells of settings. */
  refresh(): Promise<void>
}

/** A conversation that is followed over any number of connections. */
export interface FollowedConversation {
  readonly snapshot: FollowedSnapshot
  readonly subscribe: Listeners['subscribe']
  /** Stops following. */
  close(): void
}

/** A conversation before it is opened. */
export const notFollowed: FollowedSnapshot = {
  state: null,
  isView: false,
  problem: null,
  elsewhere: null,
  refresh: async () => undefined,
}

/** Shortest time between two renderings, in ms. */
const renderMs = 30

/** Opens a conversation and follows it; after a lost link it goes on from the last event it has. */
export function followConversation(link: Link, conversationId: ConversationId): FollowedConversation {
  const listeners = createListeners()
  let store: ConversationStore | null = null
  let snapshot: FollowedSnapshot = {
    ...notFollowed,
    async refresh() {
      await store?.refresh()
      showSoon()
    },
  }
  let client: Client | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let isClosed = false

  function show(change: Partial<FollowedSnapshot>): void {
    snapshot = { ...snapshot, ...change }
    listeners.callAll()
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
      if (codeOf(error) !== 'connectionClosed' && client === next) show({ problem: errorMessage(error) })
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
    subscribe: listeners.subscribe,
    close() {
      isClosed = true
      unlisten()
      if (timer !== null) clearTimeout(timer)
      store?.close().catch(() => undefined)
    },
  }
}

function elsewhereIn(error: unknown, conversationId: ConversationId): Elsewhere {
  const address = addressIn(error)
  return { address, page: hasPageThere(error) ? pageAt(address, conversationId) : null }
}

type Opened = Pick<FollowedSnapshot, 'isView' | 'elsewhere'>

/** Opens the conversation, or its log as it is now where another process has it open or nothing may be changed. */
async function resume(client: Client, conversationId: ConversationId, isReadOnly: boolean): Promise<Opened> {
  const view = async () => {
    const { readOnly } = await client.request('conversation/resume', { conversationId, readOnly: true })
    return isReadOnly || readOnly
  }
  try {
    if (isReadOnly) return { isView: await view(), elsewhere: null }
    const { readOnly } = await client.request('conversation/resume', { conversationId })
    return { isView: readOnly, elsewhere: null }
  } catch (error) {
    if (codeOf(error) === 'liveElsewhere')
      return { isView: await view(), elsewhere: elsewhereIn(error, conversationId) }
    // A reader opens nothing for writing, but watches what is open.
    if (codeOf(error) === 'notPermitted') return { isView: await view(), elsewhere: null }
    // A conversation without a message cannot be resumed, but may be open here.
    if (codeOf(error) === 'conversationNotFound') return { isView: isReadOnly, elsewhere: null }
    throw error
  }
}
