import { addressIn, type Client, type ConversationStore, codeOf, openConversationStore } from '@parley/client/browser'
import type { ConversationId, ConversationState } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import type { LinkState, PageLink } from './link.ts'
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
  /** True while the page's user has no role here, or the link has ended: the page shows the last state. */
  readonly isTakenAway: boolean
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
  isTakenAway: false,
  problem: null,
  elsewhere: null,
  refresh: async () => undefined,
}

/** Most times that a page follows a conversation to another server before it has it live. */
const mostMoves = 5
/** Time between two looks for a server that has a still conversation open, or for a role that came back, in ms. */
const lookMs = 5_000

/** Shortest time between two renderings, in ms. */
const renderMs = 30

/** Opens a conversation and follows it; after a lost link it goes on from the last event it has. */
export function followConversation(link: PageLink, conversationId: ConversationId): FollowedConversation {
  const listeners = createListeners()
  let store: ConversationStore | null = null
  const { show, showSoon, ...shown } = createSnapshot(listeners, () => store)
  let client: Client | null = null
  let stopListening: () => void = () => undefined
  const later = createTimer()
  const moves = createMoves(link)
  const { goTo } = moves
  const isToOpen = watchMoves(conversationId)
  let isClosed = false

  async function attach(next: Client, isReadOnly: boolean): Promise<void> {
    client = next
    later.stop()
    stopListening()
    stopListening = next.onAccessEnded(conversationId, () => takeAway(next, isReadOnly))
    try {
      const { isLive, ...opened } = await resume(next, conversationId, { isReadOnly, goTo })
      if (store === null) {
        store = await openConversationStore(next, conversationId)
        store.subscribe(showSoon)
      } else await store.moveTo(next)
      if (client !== next) return
      if (isClosed) await store.close().catch(() => undefined)
      show({ state: store.state, problem: null, isTakenAway: false, ...opened })
      if (isLive) moves.settle()
      else followLater(next, isReadOnly)
    } catch (error) {
      if (codeOf(error) === 'connectionClosed' || client !== next || link.state.kind !== 'up') return
      // The user's role has ended, or the conversation is gone: the server does not tell which.
      if (store !== null && link.person !== undefined && codeOf(error) === 'conversationNotFound')
        takeAway(next, isReadOnly)
      else show({ problem: errorMessage(error) })
    }
  }

  /** Waits until the user has a role again, which no message announces. */
  function takeAway(at: Client, isReadOnly: boolean): void {
    if (at !== client) return
    show({ isTakenAway: true })
    if (link.person?.kind === 'user') later.start(lookMs, () => attach(at, isReadOnly))
  }

  /** Looks for a server of the team that has it open by now: a still view tells nothing of that. */
  function followLater(at: Client, isReadOnly: boolean): void {
    if (link.person !== undefined) later.start(lookMs, () => lookAgain(at, isReadOnly))
  }

  async function lookAgain(at: Client, isReadOnly: boolean): Promise<void> {
    const { conversations } = await at.request('conversation/list', { limit: 100 })
    const owner = conversations.find((row) => row.conversationId === conversationId)?.live ?? null
    if (owner === null) return followLater(at, isReadOnly)
    if (!goTo(owner.address ?? null)) await attach(at, isReadOnly)
  }

  function look(): void {
    if (isToOpen(link.state, client)) void attach(link.state.client, link.state.access === 'readOnly')
  }

  const unlisten = link.subscribe(look)
  look()
  return {
    get snapshot() {
      return shown.now()
    },
    subscribe: listeners.subscribe,
    close() {
      isClosed = true
      unlisten()
      stopListening()
      later.end()
      shown.stop()
      store?.close().catch(() => undefined)
    },
  }
}

/** Returns the shown state of a conversation, and the functions that change it. */
function createSnapshot({ callAll }: Listeners, store: () => ConversationStore | null) {
  let timer: ReturnType<typeof setTimeout> | null = null
  let snapshot: FollowedSnapshot = {
    ...notFollowed,
    async refresh() {
      await store()?.refresh()
      showSoon()
    },
  }

  function show(change: Partial<FollowedSnapshot>): void {
    snapshot = { ...snapshot, ...change }
    callAll()
  }

  /** Shows the state of the store, with all that changes until then. */
  function showSoon(): void {
    timer ??= setTimeout(() => {
      timer = null
      const state = store()?.state
      if (state !== undefined) show({ state })
    }, renderMs)
  }

  return {
    now: () => snapshot,
    show,
    showSoon,
    stop() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** Counts the moves of a conversation until it is live, so that two servers that name each other are no circle. */
function createMoves(link: PageLink) {
  let moves = 0
  return {
    /** Goes where it is open; false where it stays. */
    goTo(websocket: string | null): boolean {
      if (moves === mostMoves || !link.goTo(websocket)) return false
      moves += 1
      return true
    },
    settle() {
      moves = 0
    },
  }
}

/** Returns a timer for one piece of work at a time, until its end. */
function createTimer() {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const stop = () => clearTimeout(timer)
  return {
    stop,
    start(delayMs: number, work: () => Promise<void>) {
      stop()
      if (!isOver) timer = setTimeout(() => void work().catch(() => undefined), delayMs)
    },
    end() {
      isOver = true
      stop()
    },
  }
}

/** Returns a test if a conversation is to be opened over a link: once for each connection, and once for each move of it. */
function watchMoves(conversationId: ConversationId) {
  let seen: Extract<LinkState, { readonly kind: 'up' }>['moved'] = null
  return (state: LinkState, client: Client | null): state is Extract<LinkState, { readonly kind: 'up' }> => {
    if (state.kind !== 'up') return false
    const hasMoved = state.moved !== seen && state.moved?.conversationId === conversationId
    seen = state.moved
    return hasMoved || state.client !== client
  }
}

interface OpenedAccess extends Pick<FollowedSnapshot, 'isView' | 'elsewhere'> {
  /** True where events come as they happen: of a log that nobody here writes they do not. */
  readonly isLive: boolean
}

interface Resuming {
  readonly isReadOnly: boolean
  /** Goes to the server with a websocket; false where the page stays. */
  readonly goTo: (websocket: string | null) => boolean
}

/** Opens the conversation, or its log as it is now where another process has it open or nothing may be changed. */
async function resume(
  client: Client,
  conversationId: ConversationId,
  { isReadOnly, goTo }: Resuming,
): Promise<OpenedAccess> {
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
    // A reader opens nothing for writing, but watches an open conversation.
    if (codeOf(error) === 'notPermitted') return await view()
    // A conversation without a message cannot be resumed, but may be open here.
    if (codeOf(error) === 'conversationNotFound') return { isView: isReadOnly, isLive: true, elsewhere: null }
    throw error
  }
}
