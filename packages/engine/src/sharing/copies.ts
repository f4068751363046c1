import { type Files, type SessionPaths, sessionPaths, walkSessions } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { createWriterLocks } from '../load/writer-locks.ts'
import { type Comparison, HeldElsewhereError, type SharedStore } from '../ports/shared-store.ts'
import type { Listed } from '../read/catalogue.ts'
import { localCatalogue } from '../read/local-catalogue.ts'
import { emptyLog, noConversation } from '../replies/rejection.ts'
import { keepLog, sendLog, settleLog } from './bring-log.ts'
import { type CopyWay, type Judgement, judge } from './judge-copy.ts'
import { grantsIn } from './shared-journal.ts'
import { copyAt, heldElsewhere } from './sharing.ts'

/** Conversations of this machine and of a store, brought from one to the other. */
export interface Copies {
  /** Resolves to the conversations that a copy could be made of. */
  ids(way: CopyWay): Promise<readonly ConversationId[]>
  compare(conversationId: ConversationId): Promise<Comparison>
  /** Describes a copy without making it. Rejects like `copy`. */
  plan(conversationId: ConversationId, way: CopyWay): Promise<Copied>
  /**
   * Copies the lines that the target lacks, and reads it again. From then on only servers of the store write a
   * conversation that was copied to it or from it. Rejects with `liveElsewhere` while any process has the conversation
   * open.
   */
  copy(conversationId: ConversationId, way: CopyWay): Promise<Copied>
}

/** Result of a copy, done or only planned, with what both sides have then. */
export interface Copied {
  readonly judged: Judgement
  readonly compared: Comparison
}

interface CopyParts {
  readonly store: SharedStore
  readonly files: Files
  readonly home: string
  /** Name of this program in the lock, for other processes that find the conversation locked. */
  readonly program: string
}

export function createCopies({ store, files, home, program }: CopyParts): Copies {
  const locks = createWriterLocks(files, program)
  let listed: Promise<ReadonlyMap<string, Listed>> | null = null

  function pathsOf(conversationId: ConversationId): SessionPaths {
    const paths = sessionPaths(home, conversationId)
    if (paths === null) throw noConversation(conversationId)
    return paths
  }

  /** Resolves to the list entry of a conversation of this machine. */
  async function listedHere(conversationId: ConversationId): Promise<Listed> {
    listed ??= localCatalogue(files, home)
      .all()
      .then((all) => new Map(all.map((each) => [each.id, each])))
    const found = (await listed).get(conversationId)
    if (found === undefined) throw emptyLog(conversationId)
    return found
  }

  const compare = (conversationId: ConversationId) =>
    store.copies.compare(copyAt(pathsOf(conversationId), conversationId))

  async function take(conversationId: ConversationId, kind: 'own' | 'stored') {
    try {
      return await store.take(copyAt(pathsOf(conversationId), conversationId), kind)
    } catch (error) {
      throw error instanceof HeldElsewhereError ? heldElsewhere(conversationId, error) : error
    }
  }

  async function planned(conversationId: ConversationId, way: CopyWay): Promise<Copied> {
    const compared = await compare(conversationId)
    return { compared, judged: judge(compared, way) }
  }

  async function bring(conversationId: ConversationId, way: CopyWay): Promise<Copied> {
    const paths = pathsOf(conversationId)
    if (way === 'to' && files.look(paths.log) !== null) await settleLog(files, paths)
    const { judged, compared } = await planned(conversationId, way)
    if (judged.kind !== 'copy') return { judged, compared }
    if (way === 'from') {
      const content = (hash: string) => store.copies.content(conversationId, hash)
      await keepLog(files, paths, { shipment: await take(conversationId, 'stored'), content })
    } else {
      const listed = await listedHere(conversationId)
      // Grants of people stay with its row, where the store has them.
      const given = grantsIn(await store.lists.row(conversationId))
      const row = given === undefined ? listed.row : { ...listed.row, given }
      const shipment = await take(conversationId, 'own')
      await sendLog(files, paths, { shipment, row, modifiedAtMs: listed.modifiedAtMs })
    }
    return { judged, compared: await compare(conversationId) }
  }

  /** Runs while no process of this machine has the conversation open. */
  async function whileLocked<Result>(conversationId: ConversationId, run: () => Promise<Result>): Promise<Result> {
    await locks.take(conversationId, pathsOf(conversationId))
    try {
      return await run()
    } finally {
      locks.release(conversationId)
    }
  }

  async function assertFree(conversationId: ConversationId): Promise<void> {
    const holder = (await store.lists.rows()).find((row) => row.conversationId === conversationId)?.holder ?? null
    if (holder !== null) throw heldElsewhere(conversationId, new HeldElsewhereError(conversationId, holder))
  }

  return {
    async ids(way) {
      if (way === 'to') return walkSessions(files, home).map(({ id }) => id)
      return (await store.lists.rows()).map(({ conversationId }) => conversationId)
    },
    compare,
    plan: (conversationId, way) =>
      whileLocked(conversationId, async () => {
        await assertFree(conversationId)
        return planned(conversationId, way)
      }),
    copy: (conversationId, way) => whileLocked(conversationId, () => bring(conversationId, way)),
  }
}
