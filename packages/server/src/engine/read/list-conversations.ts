import {
  decodeHeader,
  type Files,
  findId,
  idsWith,
  isConversationId,
  isRunning,
  type ListedSession,
  type LogExcerpt,
  type LoggedEnvelope,
  type LogHeader,
  listSessions,
  type Rows,
  readOwner,
  sessionPaths,
  walkSessions,
} from '@parley/journal'
import { type ConversationId, type ListedConversation, type ParamsOf, type ResultOf, titleOf } from '@parley/protocol'
import { rejection } from '../../replies/rejection.ts'
import { createLogReader } from '../conversation/journal.ts'

/** Facts about a conversation that the index keeps. */
interface ConversationRow {
  readonly cwd: string
  /** Environment that `cwd` is a folder of; null for this machine. */
  readonly environment: string | null
  readonly title: string
  readonly name: string | null
  readonly createdAt: number
  readonly archived: boolean
  readonly forkedFrom: ListedConversation['forkedFrom']
}

type Listed = ListedSession<ConversationRow>

function listRows(files: Files, home: string): Promise<readonly Listed[]> {
  return listSessions(files, home, rows)
}

const rows: Rows<ConversationRow> = {
  fileName: 'index.jsonl',
  version: 7,
  goesOn: true,
  tellingTypes: new Set(['conversation.renamed', 'conversation.archived', 'conversation.moved']),
  isRow,
  describe,
}

function isRow(value: unknown): value is ConversationRow {
  return typeof value === 'object' && value !== null && 'cwd' in value && 'title' in value && 'archived' in value
}

function describe(
  { headLines, tellingLines, tailLines }: LogExcerpt,
  earlier: ConversationRow | null,
): ConversationRow | null {
  const header = decodeHeader(Buffer.from(headLines[0] ?? ''))
  const reader = createLogReader(header)
  let row = earlier
  for (const line of [...(earlier === null ? headLines : []), ...tellingLines, ...tailLines]) {
    // Where the first event is damaged the next one tells that there is a conversation, which can be opened.
    if (row !== null && !isTelling.test(line)) continue
    const logged = reader.read(line)
    if (logged !== null) row = described(row, logged)
  }
  return row === null ? null : { ...row, forkedFrom: forkPointOf(header) }
}

function forkPointOf(header: LogHeader | null): ConversationRow['forkedFrom'] {
  const point = header?.forkedFrom
  return point === undefined ? null : { id: point.id, seq: point.seq }
}

const isTelling =
  /^.{0,60}"type":"(conversation\.(created|renamed|archived|moved)"|item\.completed".{0,120}"type":"userMessage")/

const beginningLost = { cwd: '', environment: null, title: '', name: null, archived: false, forkedFrom: null }

function described(before: ConversationRow | null, { at, event }: LoggedEnvelope): ConversationRow {
  if (event.type === 'conversation.created') {
    const where = { cwd: String(event['cwd']), environment: environmentIn(event['settings']) }
    const title = typeof event['title'] === 'string' ? event['title'] : ''
    return { ...where, title, name: null, createdAt: at, archived: false, forkedFrom: null }
  }
  const row = before ?? { ...beginningLost, createdAt: at }
  switch (event.type) {
    case 'conversation.renamed':
      return { ...row, name: String(event['name']) }
    case 'conversation.archived':
      return { ...row, archived: event['archived'] === true }
    case 'conversation.moved':
      return { ...row, cwd: String(event['cwd']) }
    default:
      return row.title === '' ? { ...row, title: titleIn(event['item']) } : row
  }
}

function environmentIn(settings: unknown): string | null {
  if (typeof settings !== 'object' || settings === null || !('environment' in settings)) return null
  return typeof settings.environment === 'string' ? settings.environment : null
}

function titleIn(item: unknown): string {
  const text = typeof item === 'object' && item !== null && 'text' in item ? item.text : ''
  return typeof text === 'string' ? titleOf(text) : ''
}

/** Tells if a conversation works in this folder of this machine. */
function worksIn(row: ConversationRow, cwd: string): boolean {
  return row.environment === null && row.cwd === cwd
}

export async function listConversations(
  files: Files,
  home: string,
  params: ParamsOf<'conversation/list'>,
): Promise<ResultOf<'conversation/list'>> {
  const { cwd, archived = false, limit = 50 } = params
  const all = (await listRows(files, home)).filter(
    ({ row }) => row.archived === archived && (cwd === undefined || worksIn(row, cwd)),
  )
  const start = params.cursor === undefined ? 0 : positionAfter(all, params.cursor)
  const page = all.slice(start, start + limit)
  const last = page.at(-1)
  return {
    conversations: page.map((listed) => toListed(files, home, listed)),
    nextCursor: last !== undefined && start + limit < all.length ? last.id : null,
  }
}

function positionAfter(all: readonly Listed[], cursor: string): number {
  const at = all.findIndex(({ id }) => id === cursor)
  if (at < 0)
    throw rejection('badCursor', 'This cursor is not one that conversation/list gave. Start from the first page.', {
      field: 'cursor',
    })
  return at + 1
}

function toListed(files: Files, home: string, { id, row, modifiedAtMs }: Listed): ListedConversation {
  const { environment, ...shown } = row
  return {
    conversationId: id,
    shortId: shortIdOf(id),
    ...shown,
    ...(environment === null ? {} : { environment }),
    updatedAt: Math.round(modifiedAtMs),
    live: liveOwner(files, home, id),
  }
}

/** Returns the names of all conversations. */
export async function takenNames(files: Files, home: string): Promise<ReadonlySet<string>> {
  return new Set((await listRows(files, home)).flatMap(({ row }) => row.name ?? []))
}

/** Returns the owner as a hint: only the lock is certain, and only opening may test it. */
function liveOwner(files: Files, home: string, id: ConversationId): ListedConversation['live'] {
  const paths = sessionPaths(home, id)
  const owner = paths === null ? null : readOwner(files, paths.owner)
  return owner !== null && isRunning(owner) ? { pid: owner.pid, socket: owner.socket } : null
}

/** Returns the last 8 hex digits of an id; the first ones of a UUIDv7 are the clock. */
export function shortIdOf(conversationId: ConversationId): string {
  return conversationId.slice(-8)
}

interface Wanted {
  readonly conversation?: string
  readonly cwd?: string
}

/** Returns the search for a conversation: by the start of its id, else the newest one, in the folder if given. */
export function wantedConversation({ conversation, cwd }: Wanted) {
  if (conversation !== undefined) return { prefix: conversation }
  return cwd === undefined ? { last: true } : { last: true, cwd }
}

/**
 * Finds the conversation that a resume request names. Throws `conversationNotFound` with the nearest ids, or
 * `ambiguousConversation`.
 */
export async function findConversation(
  files: Files,
  home: string,
  params: ParamsOf<'conversation/resume'>,
): Promise<ConversationId> {
  const { conversationId, prefix, last, cwd } = params
  if ([conversationId, prefix, last].filter((way) => way !== undefined).length !== 1) {
    throw rejection('invalidParams', 'Name the conversation in one way: conversationId, prefix or last.', {
      field: 'conversationId',
    })
  }
  if (last === true) return newest(files, home, cwd)
  if (conversationId !== undefined && isKnown(files, home, conversationId)) return conversationId
  return byPrefixOrName(files, home, prefix ?? conversationId ?? '')
}

function isKnown(files: Files, home: string, conversationId: ConversationId): boolean {
  const paths = isConversationId(conversationId) ? sessionPaths(home, conversationId) : null
  return paths !== null && files.look(paths.log) !== null
}

async function newest(files: Files, home: string, cwd: string | undefined): Promise<ConversationId> {
  const rows = (await listRows(files, home)).filter(({ row }) => !row.archived)
  const found = rows.find(({ row }) => cwd !== undefined && worksIn(row, cwd)) ?? rows[0]
  if (found === undefined) throw rejection('conversationNotFound', 'There is no conversation to resume yet.')
  return found.id
}

/** Returns true if all of them are one conversation and copies of it: earlier versions gave a copy its name. */
function areCopies(named: readonly Listed[], all: readonly Listed[]): boolean {
  const origins = new Map(all.map(({ id, row }) => [id, row.forkedFrom?.id]))
  return new Set(named.map(({ id }) => firstOrigin(id, origins))).size === 1
}

/** Returns the conversation that a copy of copies began with. Logs changed by hand may name each other: it ends there. */
function firstOrigin(id: ConversationId, origins: ReadonlyMap<ConversationId, ConversationId | undefined>) {
  const seen = new Set<ConversationId>()
  let first = id
  for (let origin = origins.get(id); origin !== undefined && !seen.has(origin); origin = origins.get(origin)) {
    seen.add(origin)
    first = origin
  }
  return first
}

async function byPrefixOrName(files: Files, home: string, text: string): Promise<ConversationId> {
  const ids = walkSessions(files, home).map(({ id }) => id)
  const found = findId(ids, text)
  if (found.kind === 'one' && found.isWhole) return found.id
  const all = await listRows(files, home)
  const named = all.filter(({ row }) => row.name === text)
  const [newestNamed] = named
  // A name may consist of hex digits, so it outranks a part of an id.
  if (newestNamed !== undefined && areCopies(named, all)) return newestNamed.id
  if (found.kind === 'one' && named.length === 0) return found.id
  const inner = found.kind === 'none' && named.length === 0 ? idsWith(ids, text) : []
  if (inner.length === 1 && inner[0] !== undefined) return inner[0]
  const fitting = found.kind === 'many' ? found.ids : inner
  const candidates = named.length > 0 ? named.map(({ id }) => id) : fitting
  if (candidates.length > 0) {
    const shown = candidates.slice(0, 5).map(shortIdOf)
    throw rejection(
      'ambiguousConversation',
      `"${text}" fits ${candidates.length} conversations: ${shown.join(', ')}. Give more of the id.`,
      { nearest: [...candidates] },
    )
  }
  const nearest = found.kind === 'none' ? found.nearest : []
  const hint =
    nearest.length === 0 ? '`parley list` shows what there is.' : `Nearest: ${nearest.map(shortIdOf).join(', ')}.`
  throw rejection('conversationNotFound', `There is no conversation "${text}". ${hint}`, { nearest })
}
