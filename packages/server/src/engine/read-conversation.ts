import type { CompletedItem, ParamsOf, ResultOf } from '@parley/protocol'
import { LogView } from '../log/log-view.ts'
import { envelopeOf } from '../log/read-log.ts'
import { sessionPaths } from '../log/session-paths.ts'
import { readSideFile as readStoredFile } from '../log/side-files.ts'
import type { Engine } from './engine.ts'
import { refusal } from './refusal.ts'

/** Completed items before a seq, newest `limit` of them, oldest first; from the log, whoever writes it. */
export function readItems(
  engine: Engine,
  conversationId: string,
  page: { before: number | null; limit: number },
): ResultOf<'conversation/read'> {
  const { log } = existingPaths(engine, conversationId)
  using view = LogView.open(engine.files, log)
  let items: CompletedItem[] = []
  let more = false
  for (const line of view.lines()) {
    if (page.before !== null && line.seq >= page.before) break
    if (line.type !== 'item.completed') continue
    const logged = envelopeOf(line)
    if (logged === null) continue
    const { item, turnId } = logged.event as unknown as { item: CompletedItem['item']; turnId?: string } // narrowed: our own log, type checked above
    items.push({ seq: logged.seq, at: logged.at, turnId: turnId ?? null, item })
    if (items.length < 2 * page.limit) continue
    items = items.slice(-page.limit)
    more = true
  }
  return { items: items.slice(-page.limit), more: more || items.length > page.limit }
}

const defaultRange = 64 * 1024

export function readSideFile(
  engine: Engine,
  params: ParamsOf<'conversation/readFile'>,
): ResultOf<'conversation/readFile'> {
  const { conversationId, file, offset = 0, limit = defaultRange } = params
  const { sideFiles } = existingPaths(engine, conversationId)
  const bytes = readStoredFile(engine.files, { folder: sideFiles, ref: file }, { offset, length: limit })
  if (bytes === null) throw refusal('itemNotFound', `Conversation ${conversationId} has no file ${file}.`)
  const totalBytes = engine.files.look(`${sideFiles}/${file.replace(':', '-')}`)?.sizeBytes ?? offset + bytes.length
  const nextOffset = offset + bytes.length < totalBytes ? offset + bytes.length : null
  return { base64: bytes.toString('base64'), totalBytes, nextOffset }
}

function existingPaths(engine: Engine, conversationId: string) {
  const paths = sessionPaths(engine.home, conversationId)
  if (paths === null || engine.files.look(paths.log) === null)
    throw refusal('conversationNotFound', `There is no conversation ${conversationId}.`)
  return paths
}
