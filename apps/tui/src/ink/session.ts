import { type Client, type ConversationStore, openConversationStore } from '@parley/client/parts'
import type { ConversationState, ConversationSummary } from '@parley/protocol'
import { sandboxNotice } from '../cli/messages.ts'
import type { Notice } from '../ui/notices/notice.ts'
import { count, placedPath, shortPath } from '../view/text/formats.ts'
import type { Link } from './link.ts'
import type { OpenedConversation } from './open-conversation.ts'

/** The conversation on the screen and where it comes from. */
export interface Session {
  readonly client: Client
  readonly summary: ConversationSummary
  readonly store: ConversationStore
  /** Nothing can be sent from here. */
  readonly readOnly: boolean
  /** It is open in a server that another process has started. */
  readonly attached: boolean
}

/** What is on the screen already keeps its store: a client has one stream of a conversation, closed with either store. */
export async function openSession(
  { client, summary, readOnly }: OpenedConversation,
  { attached }: Pick<Link, 'attached'>,
  before: Session | null,
): Promise<Session> {
  if (before?.client === client && before.store.conversationId === summary.conversationId) {
    await before.store.refresh()
    return { client, summary, readOnly, attached, store: before.store }
  }
  const store = await openConversationStore(client, summary.conversationId)
  return { client, summary, readOnly, attached, store }
}

/** What is said where a conversation begins on the screen. */
export function greeting({ summary }: Session, version: string, homeFolder: string): readonly Notice[] {
  const { cwd, instructionFiles, warnings, recovered, forkedFrom } = summary
  const facts = [
    placedPath(cwd, summary.settings.environment, homeFolder),
    ...instructionFiles.map((path) => shortPath(path, homeFolder)).map((path) => path.split('/').slice(-2).join('/')),
    ...(forkedFrom === null ? [] : [`a copy of ${forkedFrom.id.slice(-8)}`]),
  ]
  return [
    { kind: 'greeting', program: `parley ${version}`, facts },
    ...warnings.map((text): Notice => ({ kind: 'note', level: 'warning', text })),
    ...(recovered === null ? [] : [{ kind: 'note', level: 'warning', text: recovered } as const]),
  ]
}

/** That its limits are not all enforced, where that is so. */
export async function weaknessOf({ client, summary, readOnly }: Session): Promise<readonly Notice[]> {
  const text = await sandboxNotice(client, { ...summary, readOnly })
  return text === null ? [] : [{ kind: 'note', level: 'warning', text }]
}

export function earlierNote(itemCount: number): readonly Notice[] {
  if (itemCount <= 0) return []
  return [{ kind: 'note', level: 'info', text: `… ${count(itemCount)} earlier ${itemCount === 1 ? 'item' : 'items'}` }]
}

/** The branch as the model was told it, which is what the conversation works with. */
export async function readBranch(
  { client, summary }: Session,
  context: ConversationState['core']['context'],
): Promise<string | null> {
  if (context === null) return null
  const { conversationId } = summary
  const { base64 } = await client.request('conversation/readFile', {
    conversationId,
    file: context.sessionContext,
  })
  return /^Git branch: (.+)$/m.exec(Buffer.from(base64, 'base64').toString('utf8'))?.[1] ?? null
}
