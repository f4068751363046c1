import { findId, idsWith, LOG_FORMAT } from '@parley/journal'
import { type ConversationId, type ListedConversation, type ParamsOf, type ResultOf, shortIdOf } from '@parley/protocol'
import { invalidParam, rejection } from '../replies/rejection.ts'
import type { Catalogue, ConversationRow, Listed } from './catalogue.ts'

/** Tells if a conversation works in this folder of this machine. */
export function worksIn(row: ConversationRow, cwd: string): boolean {
  return row.environment === null && row.cwd === cwd
}

export async function listConversations(
  catalogue: Catalogue,
  params: ParamsOf<'conversation/list'>,
): Promise<ResultOf<'conversation/list'>> {
  const { cwd, archived = false, limit = 50 } = params
  const all = (await catalogue.all()).filter(
    ({ row }) => row.archived === archived && (cwd === undefined || worksIn(row, cwd)),
  )
  const start = params.cursor === undefined ? 0 : positionAfter(all, params.cursor)
  const page = all.slice(start, start + limit)
  const last = page.at(-1)
  return {
    conversations: page.map((listed) => toListed(catalogue, listed)),
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

export function toListed(catalogue: Catalogue, listed: Listed): ListedConversation {
  const { id, row, modifiedAtMs } = listed
  const { cwd, title, name, createdAt, archived, forkedFrom, access, environment, minReader } = row
  return {
    conversationId: id,
    shortId: shortIdOf(id),
    // A row of a store has more, such as what people gave the conversation.
    ...{ cwd, title, name, createdAt, archived, forkedFrom },
    ...(access === undefined ? {} : { access }),
    ...(environment === null ? {} : { environment }),
    ...(minReader > LOG_FORMAT ? { newer: true as const } : {}),
    updatedAt: Math.round(modifiedAtMs),
    live: catalogue.live(listed),
  }
}

export async function takenNames(catalogue: Catalogue): Promise<ReadonlySet<string>> {
  return new Set((await catalogue.all()).flatMap(({ row }) => row.name ?? []))
}

/** Returns the search for a conversation: by the start of its id, else the newest one, in the folder if given. */
export function wantedConversation({ conversation, cwd }: Pick<ParamsOf<'replay/run'>, 'conversation' | 'cwd'>) {
  if (conversation !== undefined) return { prefix: conversation }
  return cwd === undefined ? { last: true } : { last: true, cwd }
}

/**
 * Finds the conversation that a resume request names. Throws `conversationNotFound` with the nearest ids, or
 * `ambiguousConversation`.
 */
export async function findConversation(
  catalogue: Catalogue,
  params: ParamsOf<'conversation/resume'>,
): Promise<ConversationId> {
  const { conversationId, prefix, last, cwd } = params
  if ([conversationId, prefix, last].filter((name) => name !== undefined).length !== 1)
    throw invalidParam('conversationId', 'Name the conversation in one way: conversationId, prefix or last.')
  if (last === true) return newest(catalogue, cwd)
  if (conversationId !== undefined && (await catalogue.has(conversationId))) return conversationId
  return byPrefixOrName(catalogue, prefix ?? conversationId ?? '')
}

async function newest(catalogue: Catalogue, cwd: string | undefined): Promise<ConversationId> {
  const rows = (await catalogue.all()).filter(({ row }) => !row.archived)
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

async function byPrefixOrName(catalogue: Catalogue, text: string): Promise<ConversationId> {
  const ids = await catalogue.ids()
  const found = findId(ids, text)
  if (found.kind === 'one' && found.isWhole) return found.id
  const all = await catalogue.all()
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
