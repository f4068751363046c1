import type { Client } from '@parley/client/parts'
import { type ConversationSummary, wireErrors } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { type CommonFlags, type ImageFlag, overridesOf } from '../cli/flags.ts'
import { fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import type { Notice } from '../ui/notices/notice.ts'
import { liveConversations, type OpenedConversation, openedBy, openOrJoin, watch } from './open-conversation.ts'

/** How an interactive session begins. */
export type Start =
  | { readonly kind: 'new'; readonly prompt: string | null; readonly flags: CommonFlags & ImageFlag }
  | { readonly kind: 'resume'; readonly id: string | null; readonly last: boolean; readonly flags: CommonFlags }
  | { readonly kind: 'attach'; readonly id: string | null; readonly readOnly: boolean; readonly flags: CommonFlags }
  | { readonly kind: 'fork'; readonly id: string; readonly at: number | null; readonly flags: CommonFlags }

export interface Extra {
  readonly provider?: string
  readonly banner?: string
}

export type Begun =
  | OpenedConversation
  /** The user chooses from the list. */
  | { readonly kind: 'pick'; readonly liveOnly: boolean }

/** Opens what the command line asked for. Throws the server's `RpcError` when it cannot be. */
export async function begin(client: Client, start: Start, extra: Extra): Promise<Begun> {
  switch (start.kind) {
    case 'new':
      return createOrExplain(client, start.flags, extra)
    case 'resume':
      return start.id === null && !start.last ? { kind: 'pick', liveOnly: false } : resume(client, start)
    case 'attach':
      return attach(client, start)
    case 'fork':
      return openedBy(client, await fork(client, start))
  }
}

export function createConversation(
  client: Client,
  flags: CommonFlags,
  { provider }: Extra,
): Promise<ConversationSummary> {
  return client.request('conversation/create', {
    ...overridesOf(flags),
    cwd: folderOf(flags),
    ...(provider === undefined ? {} : { modelProvider: provider }),
    ...(flags.ephemeral === true ? { ephemeral: true } : {}),
  })
}

function folderOf({ cd }: CommonFlags): string {
  return cd === undefined ? workingFolder() : fromWorkingFolder(cd)
}

function resume(client: Client, { id, flags }: Start & { kind: 'resume' }): Promise<OpenedConversation> {
  const overrides = overridesOf(flags)
  if (id === null) return openOrJoin(client, { last: true, cwd: folderOf(flags), overrides })
  return openOrJoin(client, { prefix: id, overrides })
}

/** The only live one is taken at once. One that is named need not be live: its turn may have ended since. */
async function attach(client: Client, { id, readOnly }: Start & { kind: 'attach' }): Promise<Begun> {
  const join = readOnly ? watch : openOrJoin
  if (id !== null) return join(client, { prefix: id })
  const [first, ...others] = await liveConversations(client)
  if (first === undefined)
    throw new RpcError(wireErrors.conversationNotFound, 'No conversation is live. `parley resume` opens one.', {
      code: 'conversationNotFound',
    })
  return others.length === 0 ? join(client, { conversationId: first.conversationId }) : { kind: 'pick', liveOnly: true }
}

/** Viewed first: that finds the conversation by any of its names, and needs no lock. */
async function fork(client: Client, { id, at, flags }: Start & { kind: 'fork' }): Promise<ConversationSummary> {
  const source = await client.request('conversation/resume', { prefix: id, readOnly: true })
  const place = { conversationId: source.conversationId, ...(at === null ? {} : { at }) }
  const copy = await client.request('conversation/fork', place)
  const overrides = overridesOf(flags)
  if (Object.keys(overrides).length === 0) return copy
  return client.request('conversation/resume', { conversationId: copy.conversationId, overrides })
}

/** With no key at all the program opens on recorded words, and says what it looked for. */
async function createOrExplain(client: Client, flags: CommonFlags, extra: Extra): Promise<Begun> {
  const banner = extra.banner === undefined ? [] : [info(extra.banner)]
  try {
    return openedBy(client, await createConversation(client, flags, extra), banner)
  } catch (error) {
    const data = error instanceof RpcError ? error.data : undefined
    if (data?.code !== 'noCredentials') throw error
    const summary = await createConversation(client, flags, { provider: 'unconfigured' })
    return openedBy(client, summary, await withoutKey(client, namesOf(data['variables'])))
  }
}

async function withoutKey(client: Client, variables: readonly string[]): Promise<readonly Notice[]> {
  const { local } = await client.request('model/list', {})
  const looked = variables.length === 0 ? '' : ` (looked for ${variables.join(', ')})`
  const demo = `No model is configured${looked}, so nothing can be asked yet; \`parley demo\` shows a session.`
  const offers = local.map(
    ({ provider, name, baseUrl, models }) =>
      `${name} answers at ${baseUrl}: /model ${provider} ${models[0] ?? 'MODEL'} uses it here.`,
  )
  const next = offers.length === 0 ? 'Set a key and start again, or start a local model server.' : offers.join('\n')
  return [{ kind: 'note', level: 'warning', text: demo }, info(next)]
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string' && name !== '') : []
}

function info(text: string): Notice {
  return { kind: 'note', level: 'info', text }
}
