import { join } from 'node:path'
import {
  type Files,
  LogView,
  openLog,
  readFile,
  type SessionPaths,
  sessionPaths,
  textOf,
  walkSessions,
} from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { openContentStore } from '@parley/workspace'
import { bringContents, keptContents } from '../history/kept-contents.ts'
import { createWriterLocks } from '../load/writer-locks.ts'
import { type Comparison, HeldElsewhereError, type SharedStore, type Shipment } from '../ports/shared-store.ts'
import type { Listed } from '../read/catalogue.ts'
import { localCatalogue } from '../read/local-catalogue.ts'
import { emptyLog, noConversation, rejection } from '../replies/rejection.ts'
import { type CopyWay, type Judgement, judge } from './judge-copy.ts'
import { grantsIn } from './shared-journal.ts'
import { copyAt, giveUp, heldElsewhere } from './sharing.ts'

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

/**
 * Heals the end of a log and brings its header to this version, as opening it would do: the store keeps both as they are
 * then. The header of a copy stays as the store has, or had, it.
 */
async function settleLog(files: Files, { log: path, acked }: SessionPaths): Promise<void> {
  const isCopy = files.look(acked) !== null
  const opened = await openLog(files, path)
  if (opened.readOnly) throw rejection('storageFailed', opened.reason)
  await using log = opened.log
  if (!isCopy) log.raiseMinReader()
}

/** Sends the missing part of a log to the store; lists show its `row` once the store has all of it. */
async function sendLog(
  files: Files,
  { log }: SessionPaths,
  { shipment, row, modifiedAtMs }: { shipment: Shipment; row: object; modifiedAtMs: number },
): Promise<void> {
  try {
    const sizeBytes = files.look(log)?.sizeBytes ?? 0
    shipment.wrote(sizeBytes)
    await shipment.acknowledged(sizeBytes)
    shipment.describe(row, modifiedAtMs)
  } catch (error) {
    await giveUp(shipment)
    throw error
  }
  await shipment.close()
}

/** Resolves to an earlier content of a file; null where the store does not have it. */
type ReadContent = (hash: string) => Promise<Uint8Array | null>

/** Syncs a fetched log with earlier contents of files, and removes its mark: without one it is a log of this machine alone. */
async function keepLog(
  files: Files,
  paths: SessionPaths,
  { shipment, content }: { readonly shipment: Shipment; readonly content: ReadContent },
): Promise<void> {
  const { log, sideFiles, acked, folders } = paths
  try {
    await fetchContents(files, paths, content)
    const names = files.look(sideFiles) === null ? [] : files.list(sideFiles)
    for (const path of [log, ...names.map((name) => join(sideFiles, name))]) await syncFile(files, path)
    for (const folder of [...(names.length === 0 ? [] : [sideFiles]), ...folders]) await files.syncFolder(folder)
  } finally {
    await shipment.close()
  }
  if (files.look(acked) !== null) files.remove(acked)
}

/** Fetches the earlier contents of files that a log names, as far as the store has them. */
async function fetchContents(
  files: Files,
  { log, sideFiles, snapshots }: SessionPaths,
  content: ReadContent,
): Promise<void> {
  const { namedIn, listedIn } = keptContents(snapshots)
  const hashes = new Set<string>()
  using view = LogView.open(files, log)
  for (const line of view.lines()) {
    if (line.type !== 'files.changed') continue
    const named = namedIn(Buffer.from(textOf(line)))
    for (const hash of named.hashes) hashes.add(hash)
    for (const name of named.lists)
      for (const hash of listedIn(readFile(files, join(sideFiles, name)) ?? Buffer.from('[]'))) hashes.add(hash)
  }
  await bringContents(hashes, openContentStore(snapshots), content)
}

async function syncFile(files: Files, path: string): Promise<void> {
  const file = files.open(path, 'edit')
  try {
    await files.sync(file)
  } finally {
    files.close(file)
  }
}
