import { addressIn, type Client, type ConversationStore, codeOf, openConversationStore } from '@parley/client/browser'
import type { ConversationId, ConversationState } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import type { Link } from './link.ts'
import { createListeners, type Listeners } from './listeners.ts'
import { pageAt } from './page-secret.ts'

/** Process that has a conversation open, and is not the one that the page is linked to. */
export interface Elsewhere {
  /** Address of its page for the conversation; null for a process of the server's own machine. */
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

/** Most times that a page follows a conversation to another server before it has it live. */
const mostMoves = 5
/** Time between two looks for a server that has a still conversation open, in ms. */
const lookMs = 5_000

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
  let lookTimer: ReturnType<typeof setTimeout> | null = null
  let moves = 0
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
      const { isLive, ...opened } = await resume(next, conversationId, { isReadOnly, goTo })
      if (store === null) {
        store = await openConversationStore(next, conversationId)
        store.subscribe(showSoon)
      } else await store.moveTo(next)
      if (client !== next) return
      if (isClosed) await store.close().catch(() => undefined)
      show({ state: store.state, problem: null, ...opened })
      if (isLive) moves = 0
      else followLater(next, isReadOnly)
    } catch (error) {
      if (codeOf(error) !== 'connectionClosed' && client === next && link.state.kind === 'up')
        show({ problem: errorMessage(error) })
    }
  }

  /** Goes where the conversation is open; false where it stays, so that two servers that name each other are no circle. */
  function goTo(websocket: string | null): boolean {
    if (moves === mostMoves || !link.goTo(websocket)) return false
    moves += 1
    return true
  }

  /** Looks for a server of the team that has it open by now: a still view tells nothing of that. */
  function followLater(at: Client, isReadOnly: boolean): void {
    if (link.person === undefined || isClosed) return
    lookTimer = setTimeout(() => void lookAgain(at, isReadOnly).catch(() => undefined), lookMs)
  }

  async function lookAgain(at: Client, isReadOnly: boolean): Promise<void> {
    if (at !== client || isClosed) return
    const { conversations } = await at.request('conversation/list', { limit: 100 })
    const owner = conversations.find((row) => row.conversationId === conversationId)?.live ?? null
    if (owner === null) return followLater(at, isReadOnly)
    if (!goTo(owner.address ?? null)) await attach(at, isReadOnly)
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
      for (const one of [timer, lookTimer]) if (one !== null) clearTimeout(one)
      store?.close().catch(() => undefined)
    },
  }
}

interface Opened extends Pick<FollowedSnapshot, 'isView' | 'elsewhere'> {
  /** True where events come as they happen: of a log that nobody here writes they do not. */
  readonly isLive: boolean
}

interface Resuming {
  readonly isReadOnly: boolean
  /** Goes to the server with a websocket; false where the page stays. */
  readonly goTo: (websocket: string | null) => boolean
}

/** Opens the conversation, or its log as it is now where another process has it open or nothing may be changed. */
async function resume(client: Client, conversationId: ConversationId, { isReadOnly, goTo }: Resuming): Promise<Opened> {
  const view = async () => {
    const { readOnly } = await client.request('conversation/resume', { conversationId, readOnly: true })
    return { isView: isReadOnly || readOnly, isLive: !readOnly, elsewhere: null }
  }
  try {
    if (isReadOnly) return await view()
    const { readOnly } = await client.request('conversation/resume', { conversationId })
    return { isView: readOnly, isLive: !readOnly, elsewhere: null }
  } catch (error) {
    if (codeOf(error) === 'liveElsewhere') {
      const address = addressIn(error)
      // Of a connection that ends for the next one, nothing is shown.
      if (goTo(address)) throw error
      return { ...(await view()), elsewhere: { page: pageAt(address, conversationId) } }
    }
    // A reader opens nothing for writing, but watches what is open.
    if (codeOf(error) === 'notPermitted') return await view()
    // A conversation without a message cannot be resumed, but may be open here.
    if (codeOf(error) === 'conversationNotFound') return { isView: isReadOnly, isLive: true, elsewhere: null }
    throw error
  }
}
