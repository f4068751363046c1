import { type Files, findId, idsWith, isConversationId, sessionPaths, walkSessions } from '@parley/journal'
import type { ConversationId, ParamsOf } from '@parley/protocol'
import { rejection } from '../replies/rejection.ts'
import { listRows, shortIdOf, worksIn } from './list-conversations.ts'

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

async function byPrefixOrName(files: Files, home: string, text: string): Promise<ConversationId> {
  const ids = walkSessions(files, home).map(({ id }) => id)
  const found = findId(ids, text)
  if (found.kind === 'one') return found.id
  const named = (await listRows(files, home)).filter(({ row }) => row.name === text)
  if (named.length === 1 && named[0] !== undefined) return named[0].id
  // A name may consist of hex digits, so it outranks the inner part of an id.
  const inner = found.kind === 'none' && named.length === 0 ? idsWith(ids, text) : []
  if (inner.length === 1 && inner[0] !== undefined) return inner[0]
  const candidates = found.kind === 'many' ? found.ids : [...named.map(({ id }) => id), ...inner]
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
