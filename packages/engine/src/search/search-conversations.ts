import { StorageError } from '@parley/journal'
import type { ConversationId, ParamsOf, ResultOf } from '@parley/protocol'
import type { FoundTexts, TextSearch } from '../ports/text-search.ts'
import type { Catalogue } from '../read/catalogue.ts'
import { toListed, worksIn } from '../read/list-conversations.ts'
import type { TeamCopies } from '../read/team-copies.ts'
import { rejection } from '../replies/rejection.ts'

interface SearchPorts {
  readonly search: TextSearch
  /** Conversations that the client may read. */
  readonly catalogue: Catalogue
  readonly copies: TeamCopies | null
}

/** Finds conversations by their texts: first the ones with all words in one item, each group newest first. */
export async function searchConversations(
  { search, catalogue, copies }: SearchPorts,
  { query, cwd, archived, limit = 20, waitMs = 100 }: ParamsOf<'conversation/search'>,
): Promise<ResultOf<'conversation/search'>> {
  const startedMs = performance.now()
  // Each window sends an empty search after its start, to index the local logs: that fetches no conversation of others.
  const absent = query.trim() === '' ? 0 : ((await copies?.bring(catalogue, waitMs)) ?? 0)
  const leftMs = Math.max(0, waitMs - (performance.now() - startedMs))
  const found = await search.find(query, leftMs).catch(withAdvice)
  const mayRead = await catalogue.among()
  const { logs, unread, leftOut } = mayRead === null ? found : foundFor(found, mayRead)
  // Words are read from the logs of this machine, rows where lists have them: a log may be the copy of one that is gone.
  const rows = new Map((logs.length === 0 ? [] : await catalogue.all()).map((listed) => [listed.id, listed]))
  const wanted = logs
    .flatMap((log) => {
      const listed = rows.get(log.id)
      if (listed === undefined) return []
      const { row } = listed
      const isWanted = (archived === undefined || row.archived === archived) && (cwd === undefined || worksIn(row, cwd))
      return isWanted ? [{ log, listed }] : []
    })
    .sort((a, b) => Number(b.log.lines > 0) - Number(a.log.lines > 0) || b.listed.modifiedAtMs - a.listed.modifiedAtMs)
  const page = wanted.slice(0, limit)
  const excerpts = await search.excerpts(page.map(({ log }) => log))
  const places = page.flatMap(({ log, listed }, index) => {
    const excerpt = excerpts[index] ?? null
    return excerpt === null ? [] : [{ conversation: toListed(catalogue, listed), items: log.lines, excerpt }]
  })
  const total = wanted.length - (page.length - places.length)
  return { found: places, total, unread: unread + absent, leftOut }
}

/** Returns the results that a client may see. The number of unread conversations of others is left out. */
function foundFor({ logs, unread }: FoundTexts, mayRead: (conversationId: ConversationId) => boolean): FoundTexts {
  return { logs: logs.filter(({ id }) => mayRead(id)), unread: Math.min(unread, 1), leftOut: 0 }
}

/** Throws the rejection for an index that cannot be kept: no conversation is in danger, so that the usual words would mislead. */
function withAdvice(error: unknown): never {
  if (!(error instanceof StorageError)) throw error
  const { code, path } = error
  const index = `The search keeps its index in ${path}, and cannot (${code}).`
  const text = `${index} It needs a disk that is writable and has room; there, the file can be removed, and is made anew.`
  throw rejection('storageFailed', text, { errno: code })
}
