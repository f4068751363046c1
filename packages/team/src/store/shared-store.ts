import type { LocalCopy, SharedAnswers, SharedStore } from '@parley/engine/shared-store'
import type { limitConcurrency } from '@parley/host'
import type { Files } from '@parley/journal'
import { answersIn } from './answers.ts'
import type { Connected } from './connection/connect-store.ts'
import { keptStreams, type Prepared } from './connection/prepare-store.ts'
import { storeError } from './connection/store-trouble.ts'
import { watchLeaders } from './connection/watch-leaders.ts'
import { type AwayMs, unlessGone, whileElecting } from './connection/while-electing.ts'
import { readMark } from './log/ack-mark.ts'
import { compareLog } from './log/compare-log.ts'
import { fetchLog } from './log/fetch-log.ts'
import { contentName, isNamedBy } from './log/named-contents.ts'
import { createLogPorts } from './log-ports.ts'
import { removesFrom } from './remove-conversation.ts'
import { createLists } from './servers/lists.ts'
import type { Nodes } from './servers/nodes.ts'
import { holderOf } from './servers/owners.ts'
import { takesIn } from './take-conversation.ts'

interface StoreParts {
  readonly prepared: Prepared
  readonly nodes: Nodes
  readonly files: Files
  readonly onPublished: ((seconds: number) => void) | undefined
  readonly inTurn: ReturnType<typeof limitConcurrency>
}

/** Returns the shared store on a connection. Each operation waits while the servers of the store elect. */
export function createSharedStore(
  connected: Connected,
  { prepared, nodes, files, onPublished, inTurn }: StoreParts,
): SharedStore {
  const { name } = connected
  const { id: store, owners } = prepared
  const attempt = attemptsAt(name)
  const awayMs = () => nodes.awayMs
  const lists = createLists(prepared, nodes)
  const watches = new DisposableStack()
  const portsOf = createLogPorts(connected, prepared, files)
  const removal = removesFrom({ connected, prepared, nodes, lists })
  const take = takesIn({ connected, prepared, nodes, onPublished, inTurn, lists, portsOf })

  return {
    name,
    key: prepared.key,
    answers: sharedAnswers(prepared.answers, { name, awayMs }),
    servers: { announce: nodes.announce, others: () => attempt('read', () => unlessGone(nodes.others, awayMs)) },
    lists: {
      row: (conversationId) => attempt('read', () => unlessGone(() => lists.row(conversationId), awayMs)),
      rows: () => attempt('list', () => unlessGone(lists.all, awayMs)),
      deletedCopies: (copyOf) =>
        attempt('list', async () => {
          const deleted = await unlessGone(lists.deleted, awayMs)
          return deleted.filter((conversationId) => isCopyOf(store, copyOf(conversationId), files))
        }),
    },
    copies: {
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
    },
    take: (copy, kind) => attempt('open a conversation of', () => whileElecting(() => take(copy, kind), awayMs)),
    holder: (conversationId) =>
      attempt('read', () => unlessGone(() => holderOf({ owners, nodes }, conversationId), awayMs)),
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

/** Tells if this machine has a copy of a conversation of this store. */
function isCopyOf(store: string, copy: LocalCopy | null, files: Files): boolean {
  return copy !== null && readMark(files, copy.acked)?.store === store
}

/** Returns the answers of a store. Their failures are errors of the storage. */
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

/** Names of errors about the state of a conversation, which callers handle. */
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
