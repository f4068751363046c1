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
  textOf,
} from '@parley/journal'
import {
  type CompletedItem,
  type ConversationId,
  type Item,
  type ItemId,
  limits,
  type ParamsOf,
  type ResultOf,
  type TurnId,
} from '@parley/protocol'
import { rejection } from '../../replies/rejection.ts'
import { cutTexts, deliverableText, isDeliverable } from '../../replies/wire-limits.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { createLogReader, type LogReader } from '../conversation/journal.ts'
import { type StorageTrouble, storageOf } from '../conversation/storage-trouble.ts'

export interface ReadPorts {
  readonly files: Files
  readonly host: {
    pathsOf(conversationId: ConversationId): SessionPaths
    readonly conversations: readonly {
      readonly conversation: Conversation
      readonly patience: { readonly trouble: StorageTrouble | null }
    }[]
  }
}

const itemTypes: ReadonlySet<string> = new Set(['item.completed'])

interface Page {
  readonly before: number | null
  readonly after: number
  readonly limit: number
}

/** Reads completed items before a seq from the log, and tells of trouble with the disk where it is open here. */
export async function readItems(
  ports: ReadPorts,
  conversationId: ConversationId,
  page: Page,
): Promise<ResultOf<'conversation/read'>> {
  const items = await readPage(ports, conversationId, page)
  const open = ports.host.conversations.find(({ conversation }) => conversation.id === conversationId)
  return open === undefined ? items : { ...items, ...storageOf(open.patience) }
}

/** Reads the newest `limit` items that fit in a reply, oldest first. */
async function readPage(
  ports: ReadPorts,
  conversationId: ConversationId,
  { before, after, limit }: Page,
): Promise<ResultOf<'conversation/read'>> {
  const page: CompletedItem[] = []
  let pageBytes = 0
  for await (const { item, sizeBytes } of itemsBack(ports, conversationId, before)) {
    if (item.seq <= after) break
    pageBytes += sizeBytes
    // The page always has one item, otherwise a reader could not get past a large one.
    if (page.length === limit || (pageBytes > limits.page && page.length > 0))
      return { items: page.reverse(), more: true }
    page.push(item)
  }
  return { items: page.reverse(), more: false }
}

/** Finds a completed item of any age; null where there is none. */
export async function findItem(ports: ReadPorts, conversationId: ConversationId, itemId: ItemId): Promise<Item | null> {
  for await (const { item } of itemsBack(ports, conversationId, null)) if (item.item.id === itemId) return item.item
  return null
}

interface ReadItem {
  readonly item: CompletedItem
  readonly sizeBytes: number
}

/** Reads completed items from the newest before a seq to the oldest. */
async function* itemsBack(
  ports: ReadPorts,
  conversationId: ConversationId,
  before: number | null,
): AsyncGenerator<ReadItem> {
  const { files } = ports
  const { log } = existingPaths(ports, conversationId)
  using view = LogView.open(files, log)
  const reader = createLogReader(view.header())
  const slices = timeSlices()
  for (const lines of view.read((on, file) => readBack(on, file, { before, types: itemTypes }))) {
    for (const line of lines) {
      const item = completedItem(line, reader)
      if (item !== null) yield { item, sizeBytes: line.bytes.length }
    }
    if (slices.isOver()) await slices.next()
  }
}

function completedItem(line: LogLine, reader: LogReader): CompletedItem | null {
  const logged = reader.read(textOf(line))
  if (logged === null) return null
  const { item, turnId } = logged.event as unknown as { item: CompletedItem['item']; turnId?: TurnId } // narrowed: our own log, type checked by its reader
  const shown = isDeliverable(line.bytes.length) ? item : cutTexts(item)
  return { seq: logged.seq, at: logged.at, turnId: turnId ?? null, item: shown }
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
  if (files.look(paths.log) === null)
    throw rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
  return paths
}

type Range = Omit<ParamsOf<'conversation/readEvents'>, 'conversationId'>

const defaultLimit = 500

/** Reads published events after a cursor, oldest first, as many as fit in a reply. Throws `badCursor`. */
export async function readEvents(
  conversation: Conversation,
  { after, limit = defaultLimit }: Range,
): Promise<ResultOf<'conversation/readEvents'>> {
  assertHeld(conversation, after)
  const { published } = conversation.feed
  const events: ResultOf<'conversation/readEvents'>['events'] = []
  let bytes = 0
  for await (const lines of linesAfter(conversation, after.seq)) {
    for (const line of lines) {
      const envelope: (typeof events)[number] = JSON.parse(envelopeText(conversation.id, deliverableText(line)))
      // The log may be ahead: what waits for the disk is not to be seen.
      if (envelope.seq > published) return { events, more: false }
      bytes += Buffer.byteLength(line.text)
      // The first event is always sent, otherwise a reader could not get past a large one.
      if (events.length === limit || (bytes > limits.page && events.length > 0)) return { events, more: true }
      events.push(envelope)
    }
  }
  return { events, more: false }
}

function assertHeld(conversation: Conversation, { seq, crc }: Range['after']): void {
  if (crc === undefined || conversation.holds({ seq, crc })) return
  throw rejection('badCursor', `The log does not hold event ${seq} as it was seen. Begin anew from the state.`)
}

/** Yields the lines after a seq, from memory where it holds them all. */
export async function* linesAfter(conversation: Conversation, seq: number): AsyncGenerator<readonly Line[]> {
  const recent = conversation.feed.recentAfter(seq)
  if (recent === null) yield* conversation.olderLines(seq)
  else yield recent
}
