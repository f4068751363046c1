import { type Client, joinConversation, resumeConversation } from '@parley/client/parts'
import type { ConversationSummary, ListedConversation, ParamsOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { Notice } from '../ui/notices/notice.ts'

/** A conversation that was opened, and where. */
export interface OpenedConversation {
  readonly kind: 'open'
  /** The client that asked, or a connection to the process that has the conversation. */
  readonly client: Client
  readonly summary: ConversationSummary
  readonly readOnly: boolean
  readonly said: readonly Notice[]
}

type Wanted = ParamsOf<'conversation/resume'>

export function openedBy(
  client: Client,
  summary: ConversationSummary,
  said: readonly Notice[] = [],
): OpenedConversation {
  return { kind: 'open', client, summary, readOnly: summary.readOnly, said }
}

/** Opens it here, or joins it where it is live. Where that fails it is shown as it is saved, and one sentence says so. */
export async function openOrJoin(client: Client, wanted: Wanted): Promise<OpenedConversation> {
  try {
    const joined = await resumeConversation(client, wanted)
    return openedBy(joined.client, joined.summary)
  } catch (error) {
    return await openAsSaved(client, error, ', and /fork goes on in a copy')
  }
}

/** Joins it where it is live, to watch only; one that is not live is shown as it is saved. Nothing is opened to write. */
export async function watch(client: Client, wanted: Wanted): Promise<OpenedConversation> {
  const view = await client.request('conversation/resume', { ...wanted, readOnly: true })
  const { conversationId } = view
  const live =
    (await liveConversations(client)).find((listed) => listed.conversationId === conversationId)?.live ?? null
  if (live === null) return openedBy(client, view)
  const introduction = { ...client.introduction, canApprove: false, access: 'readOnly' as const }
  try {
    const joined = await joinConversation({ conversationId, ...live }, { introduction })
    return { ...openedBy(joined.client, joined.summary), readOnly: true }
  } catch (error) {
    return await openAsSaved(client, error, '')
  }
}

/** What could not be joined, by the client that asked. `next`: what else this window may do. */
async function openAsSaved(client: Client, error: unknown, next: string): Promise<OpenedConversation> {
  const data = error instanceof RpcError ? error.data : undefined
  const conversationId = data?.['conversationId']
  if (data?.code !== 'liveElsewhere' || typeof conversationId !== 'string') throw error
  const summary = await client.request('conversation/resume', { conversationId, readOnly: true })
  return openedBy(client, summary, [{ kind: 'note', level: 'warning', text: whyNotJoined(error, data, next) }])
}

/** What other processes have open. */
export async function liveConversations(client: Client): Promise<readonly ListedConversation[]> {
  const { conversations } = await client.request('conversation/list', { limit: 1_000 })
  return conversations.filter(({ live }) => live !== null)
}

function whyNotJoined(error: unknown, data: { readonly [key: string]: unknown }, next: string): string {
  // This one names both versions and the side to update.
  if (data['reason'] === 'protocolVersion' && error instanceof Error) return error.message
  const where = typeof data['pid'] === 'number' ? `process ${data['pid']}` : 'another process'
  return `It is open in ${where}, which cannot be reached: this is a read-only view of what is saved${next}.`
}
