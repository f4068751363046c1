import type { SharedAnswers, SharedStore } from '@parley/engine/shared-store'
import { limitConcurrency } from '@parley/host'
import type { Files } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { answersIn } from './answers.ts'
import {
  type Connected,
  connectStore,
  nameOf,
  type StoreAddress,
  UnusableStoreError,
} from './connection/connect-store.ts'
import { keptStreams, type Prepared, prepareStore } from './connection/prepare-store.ts'
import { isElecting, storeError } from './connection/store-trouble.ts'
import { watchLeaders } from './connection/watch-leaders.ts'
import { type AwayMs, type OpeningWait, unlessGone, whileElecting, whileOpening } from './connection/while-electing.ts'
import { readMark } from './log/ack-mark.ts'
import { compareLog } from './log/compare-log.ts'
import { type FetchPorts, fetchLog } from './log/fetch-log.ts'
import { logSubject } from './log/log-subject.ts'
import { contentName, isNamedBy } from './log/named-contents.ts'
import { objectsOf } from './log/objects.ts'
import { createRecentContents } from './log/recent-contents.ts'
import { removesFrom } from './remove-conversation.ts'
import { createLists, type Lists } from './servers/lists.ts'
import { holdLease, type Nodes } from './servers/nodes.ts'
import { holderOf } from './servers/owners.ts'
import { takesIn } from './take-conversation.ts'

/** Logs that are brought up to date at once: more would hold up the renewal of the lease. */
const readAtOnce = 32

export interface StoreOptions extends StoreAddress {
  /** Number of servers that each message is kept by before it is acknowledged. */
  readonly replicas: number
  readonly files: Files
  /** Called with the time that each message took to be acknowledged, in seconds. */
  readonly onPublished?: (seconds: number) => void
  /** Wait while it cannot be opened; default: for as long as its servers take to elect, without a word. */
  readonly wait?: OpeningWait
}

/**
 * Opens a store on NATS JetStream, and makes it where there is none. Waits while its servers elect, or cannot be reached.
 * Rejects with `UnusableStoreError`.
 */
export function openStore(options: StoreOptions): Promise<SharedStore> {
  const { wait = { onAway: () => undefined, isPatient: false } } = options
  let isConnected = false
  const open = () => {
    isConnected = false
    return tryStore(options, () => {
      isConnected = true
    })
  }
  const state = () =>
    isConnected ? 'is being opened: a new one is made first, which takes seconds' : 'does not answer'
  return whileOpening(open, wait, () => `The store ${nameOf(options)} ${state()}.`)
}

async function tryStore(
  { replicas, files, onPublished, ...address }: StoreOptions,
  onConnected: () => void,
): Promise<SharedStore> {
  const connected = await connectStore(address)
  onConnected()
  try {
    const prepared = await prepareStore(connected, replicas)
    const nodes = await holdLease(prepared.nodes, () => connected.connection.reconnect())
    return storeOn(connected, { prepared, nodes, files, onPublished, inTurn: limitConcurrency(readAtOnce) })
  } catch (error) {
    await connected.connection.close()
    if (error instanceof UnusableStoreError) throw error
    const passes = isElecting(error)
    const reason = passes ? 'is not ready: its servers start, or elect' : `cannot be opened (${String(error)})`
    throw new UnusableStoreError(`The store ${connected.name} ${reason}.`, { cause: error, passes })
  }
}

interface StoreParts {
  readonly prepared: Prepared
  readonly nodes: Nodes
  readonly files: Files
  readonly onPublished: ((seconds: number) => void) | undefined
  readonly inTurn: ReturnType<typeof limitConcurrency>
}

function storeOn(connected: Connected, { prepared, nodes, files, onPublished, inTurn }: StoreParts): SharedStore {
  const { name } = connected
  const { id: store, owners } = prepared
  const attempt = attemptsAt(name)
  const awayMs = () => nodes.awayMs
  const lists = createLists(prepared, nodes)
  const recent = createRecentContents()
  const watches = new DisposableStack()

  function portsOf(conversationId: ConversationId): FetchPorts {
    const subject = logSubject(connected, conversationId)
    const objects = objectsOf(prepared.objects, connected.admin, conversationId)
    return { files, subject, objects, recent, store, name }
  }

  const removal = removesFrom({ connected, prepared, nodes, lists })
  const take = takesIn({ connected, prepared, nodes, onPublished, inTurn, lists, portsOf })

  return {
    ...{ name, key: prepared.key, answers: sharedAnswers(prepared.answers, { name, awayMs }) },
    ...listed(lists, { attempt, awayMs, files, store }),
    announce: nodes.announce,
    others: () => attempt('read', () => unlessGone(nodes.others, awayMs)),
    take: (copy, kind) => attempt('open a conversation of', () => whileElecting(() => take(copy, kind), awayMs)),
    holder: (conversationId) =>
      attempt('read', () => unlessGone(() => holderOf({ owners, nodes }, conversationId), awayMs)),
    refresh: (copy) =>
      attempt('read', async () => {
        const ports = portsOf(copy.conversationId)
        return (await whileElecting(() => fetchLog(copy, ports), awayMs)) !== null
      }),
    compare: (copy) =>
      attempt('read', async () => {
        const compared = await compareLog(copy, portsOf(copy.conversationId))
        return { ...compared, isListed: await lists.isListed(copy.conversationId) }
      }),
    content: (conversationId, hash) =>
      attempt('read', async () => {
        const name = contentName(hash)
        const content = await portsOf(conversationId).objects.get(name)
        return content === null || !isNamedBy(name, content) ? null : content
      }),
    remove: (conversationId) => attempt('delete from', () => removal.remove(conversationId)),
    finishDeletions: () => attempt('delete from', removal.finish),
    get awayMs() {
      return nodes.awayMs
    },
    watchLeaders: () => watches.use(watchLeaders(connected.admin, keptStreams)).leaderless,
    async [Symbol.asyncDispose]() {
      watches.dispose()
      await nodes[Symbol.asyncDispose]()
      await connected.connection.close()
    },
  }
}

interface ListPorts {
  readonly attempt: ReturnType<typeof attemptsAt>
  readonly awayMs: AwayMs
  readonly files: Files
  /** Id of the store. */
  readonly store: string
}

/** Returns what is known of conversations by the lists of a store. */
function listed(
  lists: Lists,
  { attempt, awayMs, files, store }: ListPorts,
): Pick<SharedStore, 'row' | 'rows' | 'deletedCopies'> {
  return {
    row: (conversationId) => attempt('read', () => unlessGone(() => lists.row(conversationId), awayMs)),
    rows: () => attempt('list', () => unlessGone(lists.all, awayMs)),
    deletedCopies: (copyOf) =>
      attempt('list', async () => {
        const deleted = await unlessGone(lists.deleted, awayMs)
        return deleted.filter((conversationId) => {
          const copy = copyOf(conversationId)
          return copy !== null && readMark(files, copy.acked)?.store === store
        })
      }),
  }
}

/** Returns the answers of a store, whose failures are errors of the storage. */
function sharedAnswers(
  bucket: Prepared['answers'],
  { name, awayMs }: { readonly name: string; readonly awayMs: AwayMs },
): SharedAnswers {
  const attempt = attemptsAt(name)
  const answers = answersIn(bucket, name)
  return {
    read: (of) => attempt('read', () => unlessGone(() => answers.read(of), awayMs)),
    change: (of, next) => attempt('write to', () => whileElecting(() => answers.change(of, next), awayMs)),
  }
}

/** Names of errors that say what has become of a conversation. */
const knownErrors: ReadonlySet<string> = new Set(['HeldElsewhereError', 'UnfinishedDeletionError'])

/** Returns what converts failures of a store to errors of the storage. */
function attemptsAt(name: string) {
  return async <Result>(operation: string, run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run()
    } catch (error) {
      const isKnown = error instanceof Error && knownErrors.has(error.name)
      if (isKnown) throw error
      throw storeError(operation, name, error)
    }
  }
}
