import { envelopeOf, LogView, readSideFile as readStoredFile } from '@parley/journal'
import type { CompletedItem, ParamsOf, ResultOf } from '@parley/protocol'
import { cutTexts, isDeliverable } from './deliverable.ts'
import type { Engine } from './engine.ts'
import { rejection } from './refusal.ts'
import { replyLimit } from './reply-size.ts'

/** Completed items before a seq, the newest `limit` that fit in a reply, oldest first; from the log, whoever writes it. */
export function readItems(
  engine: Engine,
  conversationId: string,
  { before, limit }: { before: number | null; limit: number },
): ResultOf<'conversation/read'> {
  const { log } = existingPaths(engine, conversationId)
  using view = LogView.open(engine.files, log)
  const page: { readonly completed: CompletedItem; readonly bytes: number }[] = []
  let pageBytes = 0
  let more = false
  for (const line of view.lines()) {
    if (before !== null && line.seq >= before) break
    if (line.type !== 'item.completed') continue
    const logged = envelopeOf(line)
    if (logged === null) continue
    const { item, turnId } = logged.event as unknown as { item: CompletedItem['item']; turnId?: string } // narrowed: our own log, type checked above
    const bytes = line.bytes.length
    const shown = isDeliverable(bytes) ? item : cutTexts(item)
    page.push({ completed: { seq: logged.seq, at: logged.at, turnId: turnId ?? null, item: shown }, bytes })
    pageBytes += bytes
    // One is always left, or there would be no way past an item that is too large.
    while (page.length > limit || (pageBytes > replyLimit && page.length > 1)) {
      pageBytes -= page.shift()?.bytes ?? 0
      more = true
    }
  }
  return { items: page.map(({ completed }) => completed), more }
}

const defaultRange = 64 * 1024

export function readSideFile(
  engine: Engine,
  params: ParamsOf<'conversation/readFile'>,
): ResultOf<'conversation/readFile'> {
  const { conversationId, file, offset = 0, limit = defaultRange } = params
  const { sideFiles } = existingPaths(engine, conversationId)
  const bytes = readStoredFile(engine.files, { folder: sideFiles, ref: file }, { offset, length: limit })
  if (bytes === null) throw rejection('itemNotFound', `Conversation ${conversationId} has no file ${file}.`)
  const totalBytes = engine.files.look(`${sideFiles}/${file.replace(':', '-')}`)?.sizeBytes ?? offset + bytes.length
  const nextOffset = offset + bytes.length < totalBytes ? offset + bytes.length : null
  return { base64: bytes.toString('base64'), totalBytes, nextOffset }
}

function existingPaths(engine: Engine, conversationId: string) {
  const paths = engine.host.pathsOf(conversationId)
  engine.host.conversations.find(({ conversation }) => conversation.id === conversationId)?.conversation.assertStored()
  if (engine.files.look(paths.log) === null)
    throw rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
  return paths
}
