import { timeSlices } from '@parley/host'
import {
  envelopeText,
  type Files,
  type Line,
  type LogLine,
  LogView,
  readBack,
  readSideFile as readStoredFile,
  type SessionPaths,
} from '@parley/journal'
import {
  type CompletedItem,
  type ConversationId,
  completedBy,
  type Item,
  type ItemId,
  type ParamsOf,
  type ResultOf,
} from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { createLogReader, type LogReader } from '../conversation/journal.ts'
import { storageOf } from '../conversation/storage-trouble.ts'
import { noConversation, rejection } from '../replies/rejection.ts'
import { cutTexts, deliverableText, isDeliverable } from '../replies/wire-limits.ts'
import { createReplyPage } from './reply-page.ts'

export interface ReadPorts {
  readonly files: Files
  readonly host: {
    pathsOf(conversationId: ConversationId): SessionPaths
    readonly conversations: readonly { readonly conversation: Conversation }[]
  }
}

const itemTypes: ReadonlySet<string> = new Set(['item.completed'])

interface ItemRange {
  readonly before: number | null
  readonly after: number
  readonly limit: number
}

/** Reads completed items before a seq from the log, and tells of trouble with the disk where it is open here. */
export async function readItems(
  ports: ReadPorts,
  conversationId: ConversationId,
  range: ItemRange,
): Promise<ResultOf<'conversation/read'>> {
  const items = await readPage(storedItems(ports, conversationId), range)
  const open = ports.host.conversations.find(({ conversation }) => conversation.id === conversationId)
  return open === undefined ? items : { ...items, ...storageOf(open.conversation.storageRetry) }
}

/** Log that items are read from. */
export interface ItemSource {
  readonly files: Files
  readonly log: string
  /** Returns a line as it is shown. */
  readonly shown: (line: LogLine) => LogLine
}

function storedItems(ports: ReadPorts, conversationId: ConversationId): ItemSource {
  return { files: ports.files, log: existingPaths(ports, conversationId).log, shown: (line) => line }
}

/** Reads the newest `limit` items that fit in a reply, oldest first. */
export async function readPage(
  source: ItemSource,
  { before, after, limit }: ItemRange,
): Promise<{ readonly items: CompletedItem[]; readonly more: boolean }> {
  const page = createReplyPage<CompletedItem>(limit)
  for await (const { item, sizeBytes } of itemsBack(source, before)) {
    if (item.seq <= after) break
    if (!page.add(item, sizeBytes)) return { items: page.entries.reverse(), more: true }
  }
  return { items: page.entries.reverse(), more: false }
}

/** Finds a completed item of any age; null for an unknown one. */
export async function findItem(ports: ReadPorts, conversationId: ConversationId, itemId: ItemId): Promise<Item | null> {
  for await (const { item } of itemsBack(storedItems(ports, conversationId), null))
    if (item.item.id === itemId) return item.item
  return null
}

/** Reads completed items from the newest before a seq to the oldest. */
async function* itemsBack(
  { files, log, shown }: ItemSource,
  before: number | null,
): AsyncGenerator<{ readonly item: CompletedItem; readonly sizeBytes: number }> {
  using view = LogView.open(files, log)
  const reader = createLogReader(view.header())
  const slices = timeSlices()
  for (const lines of view.read((on, file) => readBack(on, file, { before, types: itemTypes }))) {
    for (const line of lines) {
      const item = completedItem(shown(line), reader)
      if (item !== null) yield { item, sizeBytes: line.bytes.length }
    }
    if (slices.isOver()) await slices.next()
  }
}

function completedItem(line: LogLine, reader: LogReader): CompletedItem | null {
  const logged = reader.readOwn(line)
  if (logged?.event.type !== 'item.completed') return null
  const completed = completedBy(logged.event, logged)
  return isDeliverable(line.bytes.length) ? completed : { ...completed, item: cutTexts(completed.item) }
}

const defaultRange = 64 * 1024

/** Reads a range of a side file; `nextOffset` is null at its end. Throws `itemNotFound`. */
export function readSideFile(
  ports: ReadPorts,
  params: ParamsOf<'conversation/readFile'>,
): ResultOf<'conversation/readFile'> {
  const { conversationId, file, offset = 0, limit = defaultRange } = params
  const { files } = ports
  const { sideFiles } = existingPaths(ports, conversationId)
  const bytes = readStoredFile(files, { folder: sideFiles, ref: file }, { offset, length: limit })
  if (bytes === null) throw rejection('itemNotFound', `Conversation ${conversationId} has no file ${file}.`)
  const totalBytes = files.look(`${sideFiles}/${file.replace(':', '-')}`)?.sizeBytes ?? offset + bytes.length
  const nextOffset = offset + bytes.length < totalBytes ? offset + bytes.length : null
  return { base64: bytes.toString('base64'), totalBytes, nextOffset }
}

/** Returns the paths of a conversation that is stored whole. Throws `conversationNotFound`, or `StorageError` for a lost log. */
export function existingPaths({ files, host }: ReadPorts, conversationId: ConversationId) {
  const paths = host.pathsOf(conversationId)
  host.conversations.find(({ conversation }) => conversation.id === conversationId)?.conversation.assertStored()
  if (files.look(paths.log) === null) throw noConversation(conversationId)
  return paths
}

const defaultLimit = 500

/** Reads published events after a cursor, oldest first, as many as fit in a reply. Throws `badCursor`. */
export async function readEvents(
  conversation: Conversation,
  { after, limit = defaultLimit }: Omit<ParamsOf<'conversation/readEvents'>, 'conversationId'>,
): Promise<ResultOf<'conversation/readEvents'>> {
  assertHeld(conversation, after)
  const { published } = conversation.feed
  const page = createReplyPage<ResultOf<'conversation/readEvents'>['events'][number]>(limit)
  for await (const lines of linesAfter(conversation, after.seq)) {
    for (const line of lines) {
      const envelope: (typeof page.entries)[number] = JSON.parse(envelopeText(conversation.id, deliverableText(line)))
      // The log may be ahead: what waits for the disk is not to be seen.
      if (envelope.seq > published) return { events: page.entries, more: false }
      if (!page.add(envelope, Buffer.byteLength(line.text))) return { events: page.entries, more: true }
    }
  }
  return { events: page.entries, more: false }
}

function assertHeld(conversation: Conversation, { seq, crc }: ParamsOf<'conversation/readEvents'>['after']): void {
  if (crc === undefined || conversation.holds({ seq, crc })) return
  throw rejection('badCursor', `The log does not hold event ${seq} as it was seen. Begin anew from the state.`)
}

/** Yields the lines after a seq, from memory where it holds them all. */
export async function* linesAfter(conversation: Conversation, seq: number): AsyncGenerator<readonly Line[]> {
  const recent = conversation.feed.recentAfter(seq)
  if (recent === null) yield* conversation.olderLines(seq)
  else yield recent
}
