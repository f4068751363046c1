import {
  decodeHeader,
  type Files,
  isConversationId,
  isRunning,
  type ListingRows,
  LOG_FORMAT,
  type LogExcerpt,
  type LoggedEnvelope,
  type LogHeader,
  listSessions,
  readOwner,
  sessionPaths,
  walkSessions,
} from '@parley/journal'
import { type Access, type ConversationId, titleOf } from '@parley/protocol'
import { isRecord } from '@parley/text'
import { createLogReader } from '../conversation/journal.ts'
import { type Catalogue, type ConversationRow, isRow, type LiveOwner } from './catalogue.ts'

/** Returns the conversations of this machine's home folder, from the index of their logs. */
export function localCatalogue(files: Files, home: string): Catalogue {
  const all = () => listSessions(files, home, rows)
  return {
    all,
    ids: async () => walkSessions(files, home).map(({ id }) => id),
    row: async (id) => (await all()).find((listed) => listed.id === id)?.row ?? null,
    has: async (id) => {
      const paths = isConversationId(id) ? sessionPaths(home, id) : null
      return paths !== null && files.look(paths.log) !== null
    },
    among: async () => null,
    live: ({ id }) => liveOwner(files, home, id),
  }
}

/** Returns the owner as a hint: only the lock is certain, and only opening may test it. */
function liveOwner(files: Files, home: string, id: ConversationId): LiveOwner | null {
  const paths = sessionPaths(home, id)
  const owner = paths === null ? null : readOwner(files, paths.owner)
  return owner !== null && isRunning(owner) ? { pid: owner.pid, socket: owner.socket } : null
}

const rows: ListingRows<ConversationRow> = {
  fileName: 'index.jsonl',
  version: 9,
  goesOn: true,
  tellingTypes: new Set(['conversation.renamed', 'conversation.archived', 'conversation.moved', 'conversation.shared']),
  isRow,
  describe,
}

function describe(
  { headLines, tellingLines, tailLines }: LogExcerpt,
  earlier: ConversationRow | null,
): ConversationRow | null {
  const header = decodeHeader(Buffer.from(headLines[0] ?? ''))
  const reader = createLogReader(header)
  let row = earlier
  for (const line of [...(earlier === null ? headLines : []), ...tellingLines, ...tailLines]) {
    // A conversation with a damaged first event can be opened, so the next event lists it.
    if (row !== null && !isTelling.test(line)) continue
    const logged = reader.read(line)
    if (logged !== null) row = described(row, logged)
  }
  return row === null ? null : { ...row, forkedFrom: forkPointOf(header), minReader: header?.minReader ?? LOG_FORMAT }
}

function forkPointOf(header: LogHeader | null): ConversationRow['forkedFrom'] {
  const point = header?.forkedFrom
  return point === undefined ? null : { id: point.id, seq: point.seq }
}

const isTelling =
  /^.{0,60}"type":"(conversation\.(created|renamed|archived|moved|shared)"|item\.completed".{0,120}"type":"userMessage")/

const beginningLost = {
  ...{ cwd: '', environment: null, title: '', name: null, archived: false, forkedFrom: null },
  minReader: LOG_FORMAT,
}

function described(before: ConversationRow | null, { at, event }: LoggedEnvelope): ConversationRow {
  if (event.type === 'conversation.created') {
    const where = { cwd: String(event['cwd']), environment: environmentIn(event['settings']) }
    const title = typeof event['title'] === 'string' ? event['title'] : ''
    return { ...beginningLost, ...where, title, createdAt: at, ...accessIn(event['access']) }
  }
  const row = before ?? { ...beginningLost, createdAt: at }
  switch (event.type) {
    case 'conversation.renamed':
      return { ...row, name: String(event['name']) }
    case 'conversation.archived':
      return { ...row, archived: event['archived'] === true }
    case 'conversation.moved':
      return { ...row, cwd: String(event['cwd']) }
    case 'conversation.shared':
      return { ...row, ...accessIn(event['access']) }
    default:
      return row.title === '' ? { ...row, title: titleIn(event['item']) } : row
  }
}

/** Returns the access that an event sets. One that cannot be read lets nobody in. */
function accessIn(value: unknown): Pick<ConversationRow, 'access'> {
  if (value === undefined) return {}
  return { access: isAccess(value) ? value : { members: [], links: [] } }
}

function isAccess(value: unknown): value is Access {
  return isRecord(value) && Array.isArray(value['members']) && Array.isArray(value['links'])
}

function environmentIn(settings: unknown): string | null {
  const environment = isRecord(settings) ? settings['environment'] : null
  return typeof environment === 'string' ? environment : null
}

function titleIn(item: unknown): string {
  const text = isRecord(item) ? item['text'] : ''
  return typeof text === 'string' ? titleOf(text) : ''
}
