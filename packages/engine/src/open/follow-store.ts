import { type Files, STORE_TAKEN, StorageError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { parleyItself } from '../conversation/notices.ts'
import { isBusy, type LiveConversation } from '../live/live-conversation.ts'
import type { OpenConversations } from '../live/open-conversations.ts'
import type { Holder, SharedStore } from '../ports/shared-store.ts'
import { removeDeletedCopies } from '../sharing/deleted-copies.ts'
import type { Sharing } from '../sharing/sharing.ts'

/** Interval of the looks at turns that wait for a key. */
const beatMs = 1000

interface FollowPorts extends Pick<MissingKeysPorts, 'sharing' | 'report'> {
  readonly files: Files
  readonly home: string
  /** Name of this program. */
  readonly program: string
  readonly open: OpenConversations
  /** Takes a conversation out of the search. */
  readonly forget: (conversationId: ConversationId) => Promise<void>
}

interface MissingKeysPorts {
  readonly sharing: Pick<Sharing, 'passOn'>
  readonly conversations: () => readonly LiveConversation[]
  /** Tells clients that another server has the conversation, and closes it here. */
  readonly report: (fault: unknown, conversationId?: ConversationId) => void
}

/** Follows the work of the servers that share a store: their deletions, and keys that turns here wait for. */
export function followStore(
  store: SharedStore,
  { files, home, program, open, sharing, forget, report }: FollowPorts,
): Disposable {
  const watches = new DisposableStack()
  watches.use(watchMissingKeys(store, { sharing, conversations: () => open.all, report }))
  watches.use(removeDeletedCopies(store, { files, home, open, program, forget, report }))
  return watches
}

/** Lets turns that wait for a key go on: here once it is there, else at a server of the store that has it. */
export interface MissingKeys extends Disposable {
  /** Looks at all of them once. */
  look(): Promise<void>
}

export function watchMissingKeys(
  store: Pick<SharedStore, 'name' | 'servers'>,
  { sharing, conversations, report }: MissingKeysPorts,
): MissingKeys {
  /** Conversations and servers that they were passed to: one that comes back is not passed there again. */
  const passed = new Set<string>()
  let isLooking = false
  /** True since a look has failed, as all do while the store is away: said once. */
  let hasFailed = false
  /** Conversations that could not go on here, each said once. */
  const failed = new Set<ConversationId>()

  /** Does so for one of several: a log that takes nothing holds up no other. */
  function goesOnHere(live: LiveConversation): boolean {
    const { id } = live.conversation
    try {
      return goOnHere(live)
    } catch (fault) {
      if (!failed.has(id)) report(fault, id)
      failed.add(id)
      return true
    }
  }

  async function look(): Promise<void> {
    const waiting = conversations().filter(waitsForKey)
    const without = waiting.filter((live) => !goesOnHere(live))
    if (without.length === 0) return
    const others = await store.servers.others()
    for (const live of without) {
      const { id } = live.conversation
      const to = others.find((other) => !passed.has(`${id} ${other.node}`) && mayGoOnAt(live, other))
      if (to !== undefined) {
        passed.add(`${id} ${to.node}`)
        sharing.passOn(id, to)
        report(new StorageError({ code: STORE_TAKEN, operation: 'pass on', path: store.name }), id)
      } else if (waitsForKey(live)) endForScript(live)
    }
  }

  async function beat(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      await look()
      hasFailed = false
    } catch (fault) {
      if (!hasFailed) report(fault)
      hasFailed = true
    } finally {
      isLooking = false
    }
  }

  const timer = setInterval(() => void beat(), beatMs).unref()
  return { look, [Symbol.dispose]: () => clearInterval(timer) }
}

function waitsForKey({ conversation: { state, readOnly } }: LiveConversation): boolean {
  return !readOnly && state.core.turn?.parked === true && state.core.turn.missingKey !== undefined
}

/** Lets the turn go on where its model, perhaps another one by now, can be asked here. Returns false where it cannot. */
function goOnHere({ conversation, roles, turns }: LiveConversation): boolean {
  const { turn } = conversation.state.core
  if (turn === null || roles.model.current().lacksKey?.() === true) return false
  conversation.record({ type: 'turn.continued', turnId: turn.id, by: parleyItself })
  turns.wake()
  return true
}

/** Tells if a conversation may go to another server: it still waits, and what runs here would be stopped. */
function mayGoOnAt(live: LiveConversation, { address, providers }: Holder): boolean {
  const { roles } = live
  const isReached = roles.people.sharedBy?.() != null && address !== null
  return (
    isReached && waitsForKey(live) && !isBusy(live) && providers.includes(roles.model.current().choice.modelProvider)
  )
}

/** Ends a turn that only scripts follow, which would wait without end. */
function endForScript({ conversation, clients, turns }: LiveConversation): void {
  const provider = conversation.state.core.turn?.missingKey
  const next = `Run \`parley login ${provider}\` on the machine of one, then resume the conversation.`
  if (clients.onlyScripts) turns.interrupt(`No server that lives has a key for ${provider}. ${next}`)
}
