import type { ListedConversation } from '@parley/protocol'
import { threadShape } from '../shapes/thread.ts'
import { readItems } from '../threads/read-items.ts'
import { allTurns, readTurns, shownItem, type TurnSource, type TurnsPage, turnShapes } from '../threads/read-turns.ts'
import { type AppSession, assertThreadId } from '../threads/session.ts'
import { codexError } from '../wire/codex-error.ts'
import { type CodexParams, codexParams } from '../wire/params.ts'
import { type AppMethod, answers, method } from './method.ts'

const defaultPage = 25
const longestPage = 1000

/** Methods that list, read, name and put away threads, open or not. */
export const storedMethods: Readonly<Record<string, AppMethod>> = {
  'thread/list': method(codexParams.threadList, listThreads),
  'thread/loaded/list': (session) => ({
    data: session.threads.map(({ conversation }) => conversation.id),
    nextCursor: null,
  }),
  'thread/read': method(codexParams.threadRead, readThread),
  'thread/turns/list': method(codexParams.turnsList, async (session, params) => {
    const source = await sourceOf(session, params.threadId)
    if (session.find(params.threadId)?.conversation.state.core.seq === 0)
      throw codexError(
        `thread ${params.threadId} is not materialized yet; thread/turns/list is unavailable before first user message`,
      )
    const page = pageOf(params)
    const { turns, next } = await readTurns(source, page)
    const first = turns[0]?.startSeq ?? null
    const data = await turnShapes(source, turns, params.itemsView ?? 'summary')
    return { data, ...cursors(next, turnedBack(first, page.direction)) }
  }),
  'thread/items/list': method(codexParams.itemsList, listItems),
  'thread/unsubscribe': method(codexParams.ofThread, async (session, { threadId }) => {
    assertThreadId(threadId)
    return { status: (await session.leave(threadId)) ? 'unsubscribed' : 'notSubscribed' }
  }),
  'thread/name/set': method(codexParams.nameSet, async (session, { threadId: conversationId, name }) => {
    await (await session.parley()).request('conversation/rename', { conversationId, name })
    return {}
  }),
  'thread/archive': method(codexParams.ofThread, async (session, { threadId: conversationId }, context) => {
    await session.leave(conversationId)
    await (await session.parley()).request('conversation/archive', { conversationId })
    context.afterReply(() => session.notify('thread/archived', { threadId: conversationId }))
    return {}
  }),
  'thread/unarchive': method(codexParams.ofThread, async (session, { threadId: conversationId }, context) => {
    await (await session.parley()).request('conversation/unarchive', { conversationId })
    context.afterReply(() => session.notify('thread/unarchived', { threadId: conversationId }))
    return readThread(session, { threadId: conversationId })
  }),
  'thread/delete': method(codexParams.ofThread, async (session, { threadId: conversationId }, context) => {
    await session.leave(conversationId)
    await (await session.parley()).request('conversation/delete', { conversationId })
    context.afterReply(() => session.notify('thread/deleted', { threadId: conversationId }))
    return {}
  }),
  'thread/goal/get': answers({ goal: null }),
  'thread/readState/update': answers({ readState: { firstUnread: null, revision: '0' } }),
}

/** Kinds of sources as which conversations count; lists of others are empty. */
const ownSources = ['cli', 'vscode']

async function listThreads(session: AppSession, params: CodexParams<'threadList'>) {
  const { archived, cwd, searchTerm, sectionId, sourceKinds, excludedThreadIds, limit } = params
  const empty = { data: [], readStates: {}, ...cursors(null) }
  const kinds = sourceKinds ?? []
  if (sectionId != null || (kinds.length > 0 && !kinds.some((kind) => ownSources.includes(kind)))) return empty
  const parley = await session.parley()
  const { conversations, nextCursor } = await parley
    .list({
      limit: lengthOf(limit),
      ...(params.cursor == null ? {} : { cursor: params.cursor }),
      ...(archived === true ? { archived } : {}),
      ...(typeof cwd === 'string' ? { cwd } : {}),
    })
    .catch(() => {
      throw codexError(`invalid cursor: ${params.cursor}`)
    })
  const isWanted = ({ conversationId, title, name, cwd: folder }: ListedConversation) =>
    !(excludedThreadIds ?? []).includes(conversationId) &&
    (searchTerm == null || `${name ?? ''} ${title}`.toLowerCase().includes(searchTerm.toLowerCase())) &&
    (!Array.isArray(cwd) || cwd.includes(folder))
  const data = conversations.filter(isWanted).map((listed) => listedShape(session, listed))
  return { data, readStates: {}, nextCursor, backwardsCursor: null }
}

function listedShape(session: AppSession, listed: ListedConversation) {
  const open = session.find(listed.conversationId)
  if (open !== null) return session.shape(open)
  const { home, version } = session.parts
  return threadShape(listed, null, { home, version, status: { type: 'notLoaded' } })
}

async function readThread(session: AppSession, { threadId, includeTurns }: CodexParams<'threadRead'>) {
  const source = await sourceOf(session, threadId)
  const isStored = session.find(threadId)?.conversation.state.core.seq !== 0
  const read = includeTurns === true && isStored ? await allTurns(source) : []
  const turns = await turnShapes(source, read, 'full')
  const open = session.find(threadId)
  const thread =
    open === null ? { ...listedShape(session, await listed(session, threadId)), turns } : session.shape(open, turns)
  return { thread }
}

/** Returns a stored conversation as lists show it. Throws for one that does not exist. */
async function listed(session: AppSession, threadId: string): Promise<ListedConversation> {
  const parley = await session.parley()
  for (const archived of [false, true]) {
    const { conversations } = await parley.list({ limit: 1000, archived })
    const found = conversations.find(({ conversationId }) => conversationId === threadId)
    if (found !== undefined) return found
  }
  throw codexError(`thread not loaded: ${threadId}`)
}

async function sourceOf(session: AppSession, threadId: string): Promise<TurnSource> {
  assertThreadId(threadId)
  const parley = await session.parley()
  const open = session.find(threadId)
  const { cwd } = open?.conversation.state.core.meta ?? (await listed(session, threadId))
  return { parley, conversationId: threadId, cwd }
}

function pageOf({ cursor, limit, sortDirection }: CodexParams<'turnsList'>): TurnsPage {
  return { cursor: seqIn(cursor), limit: lengthOf(limit), direction: sortDirection ?? 'desc' }
}

function lengthOf(limit: number | null | undefined): number {
  return Math.min(Math.max(limit ?? defaultPage, 1), longestPage)
}

/** Reads a cursor of this server. Throws for any other value. */
function seqIn(cursor: unknown): number | null {
  if (cursor == null) return null
  if (typeof cursor === 'string' && /^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw codexError(`invalid cursor: ${typeof cursor === 'string' ? cursor : JSON.stringify(cursor)}`)
}

function cursors(next: number | null, back: number | null = null) {
  return { nextCursor: textOf(next), backwardsCursor: textOf(back) }
}

function textOf(cursor: number | null): string | null {
  return cursor === null ? null : String(cursor)
}

/**
 * Returns the cursor with which a page of the other direction begins at the first entry of this one; null for an empty
 * page.
 */
function turnedBack(firstSeq: number | null, direction: TurnsPage['direction']): number | null {
  if (firstSeq === null) return null
  return direction === 'asc' ? firstSeq + 1 : firstSeq - 1
}

/** Lists items of a thread or of one turn, oldest first unless asked for the other way. */
async function listItems(session: AppSession, params: CodexParams<'itemsList'>) {
  const source = await sourceOf(session, params.threadId)
  const turn = params.turnId == null ? null : (await allTurns(source)).find(({ turnId }) => turnId === params.turnId)
  if (turn === undefined) return { data: [], ...cursors(null) }
  const limit = lengthOf(params.limit)
  const direction = params.sortDirection ?? 'asc'
  const { items, next } = await readItems(source, { cursor: seqIn(params.cursor), limit, direction, turn })
  const data = items.flatMap((item) => {
    const shape = shownItem(item, source.cwd)
    if (shape === null || (params.turnId != null && item.turnId !== params.turnId)) return []
    return [{ turnId: item.turnId ?? '', item: shape, startedAtMs: item.at, completedAtMs: item.at }]
  })
  // A client takes an empty page for the end.
  if (data.length === 0 && next !== null) return listItems(session, { ...params, cursor: String(next) })
  return { data, ...cursors(next, turnedBack(items[0]?.seq ?? null, direction)) }
}
