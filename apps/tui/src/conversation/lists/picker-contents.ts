import type { ConversationId, Item, ResultOf } from '@parley/protocol'
import type { Intent, UiAction } from '../../ui/state/actions.ts'
import type { MenuServer } from './menu-contents.ts'

/** Number of conversations that are listed; a search finds the others. */
const mostListed = 500
const mostFound = 100

/** Loads the list of conversations, the newest first. */
export async function listedConversations(parley: MenuServer, archived: boolean): Promise<UiAction> {
  const { conversations } = await parley.request('conversation/list', { limit: mostListed, archived })
  return { kind: 'listed', conversations, archived }
}

/** Finds conversations by the words of the filter, each with a line about the newest place. */
export async function foundTexts(
  parley: MenuServer,
  { query, archived }: Extract<Intent, { kind: 'searchTexts' }>,
): Promise<UiAction> {
  const { found } = await parley.request('conversation/search', { query, archived, limit: mostFound })
  return {
    kind: 'textsFound',
    query,
    found: found.map(({ conversation, excerpt }) => ({ listed: conversation, place: placeLine(excerpt) })),
  }
}

function placeLine({ before, words, after }: ResultOf<'conversation/search'>['found'][number]['excerpt']): string {
  return `${before}${words}${after}`
}

/** Names, archives or deletes a conversation of the list. */
export async function changeListed(
  parley: MenuServer,
  { conversationId, change }: Extract<Intent, { kind: 'changeListed' }>,
): Promise<void> {
  switch (change.kind) {
    case 'rename':
      await parley.request('conversation/rename', { conversationId, name: change.name })
      return
    case 'archive':
      await parley.request('conversation/archive', { conversationId })
      return
    case 'unarchive':
      await parley.request('conversation/unarchive', { conversationId })
      return
    case 'delete':
      await parley.request('conversation/delete', { conversationId })
      return
  }
}

/** Items read for a preview: the newest messages are among them unless many calls follow them. */
const readItems = 30
const answerLines = 3

/** Reads the newest message of the user in one line, and the last lines of the answer. */
export async function readPreview(parley: MenuServer, conversationId: ConversationId): Promise<readonly string[]> {
  const { items } = await parley.request('conversation/read', { conversationId, limit: readItems })
  const talk = items.map(({ item }) => item).filter(isMessage)
  const asked = talk.findLastIndex(({ type }) => type === 'userMessage')
  const answer = talk.slice(asked + 1).at(-1)
  const [question = ''] = writtenLines(talk[asked]?.text ?? '')
  return [...(question === '' ? [] : [`› ${question}`]), ...writtenLines(answer?.text ?? '').slice(-answerLines)]
}

function isMessage(item: Item): boolean {
  return (item.type === 'agentMessage' || item.type === 'userMessage') && item.text.trim() !== ''
}

function writtenLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
