import { resolve } from 'node:path'
import type { Client } from '@parley/client'
import type { ConversationSummary } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { type CommonFlags, overridesOf } from '../cli/flags.ts'
import type { Said } from '../view/said.ts'

/** How an interactive session begins. */
export type Start =
  | { readonly kind: 'new'; readonly prompt: string | null; readonly flags: CommonFlags }
  | { readonly kind: 'resume'; readonly id: string | null; readonly last: boolean; readonly flags: CommonFlags }
  | { readonly kind: 'fork'; readonly id: string; readonly at: number | null; readonly flags: CommonFlags }

export interface Extra {
  readonly provider?: string
  readonly banner?: string
}

export type Begun =
  | { readonly kind: 'open'; readonly summary: ConversationSummary; readonly said: readonly Said[] }
  /** The user chooses from the list. */
  | { readonly kind: 'pick' }
  | { readonly kind: 'elsewhere'; readonly conversationId: string; readonly pid: number | null }

/** Opens what the command line asked for. Rejects with the server's refusal when it cannot be. */
export async function begin(client: Client, start: Start, extra: Extra): Promise<Begun> {
  switch (start.kind) {
    case 'new':
      return createOrExplain(client, start.flags, extra)
    case 'resume':
      return start.id === null && !start.last ? { kind: 'pick' } : unlessElsewhere(resume(client, start))
    case 'fork':
      return opened(await fork(client, start))
  }
}

export function createConversation(
  client: Client,
  flags: CommonFlags,
  { provider }: Extra,
): Promise<ConversationSummary> {
  return client.request('conversation/create', {
    ...overridesOf(flags),
    cwd: resolve(flags.cd ?? '.'),
    ...(provider === undefined ? {} : { modelProvider: provider }),
    ...(flags.ephemeral === true ? { ephemeral: true } : {}),
  })
}

function resume(client: Client, { id, flags }: Start & { kind: 'resume' }): Promise<ConversationSummary> {
  const overrides = overridesOf(flags)
  if (id === null)
    return client.request('conversation/resume', { last: true, cwd: resolve(flags.cd ?? '.'), overrides })
  return client.request('conversation/resume', { prefix: id, overrides })
}

/** Viewed first: that finds the conversation by any of its names, and needs no lock. */
async function fork(client: Client, { id, at }: Start & { kind: 'fork' }): Promise<ConversationSummary> {
  const { conversationId } = await client.request('conversation/resume', { prefix: id, readOnly: true })
  return client.request('conversation/fork', { conversationId, ...(at === null ? {} : { at }) })
}

/** The server's refusal as what the screen offers instead, when the conversation is open in another process. */
export async function unlessElsewhere(summary: Promise<ConversationSummary>): Promise<Begun> {
  try {
    return opened(await summary)
  } catch (error) {
    const data = error instanceof RpcError ? error.data : undefined
    const conversationId = data?.['conversationId']
    if (data?.code !== 'liveElsewhere' || typeof conversationId !== 'string') throw error
    return { kind: 'elsewhere', conversationId, pid: typeof data['pid'] === 'number' ? data['pid'] : null }
  }
}

/** With no key at all the program opens on recorded words, and says what it looked for. */
async function createOrExplain(client: Client, flags: CommonFlags, extra: Extra): Promise<Begun> {
  const banner = extra.banner === undefined ? [] : [info(extra.banner)]
  try {
    return opened(await createConversation(client, flags, extra), banner)
  } catch (error) {
    const data = error instanceof RpcError ? error.data : undefined
    if (data?.code !== 'noCredentials') throw error
    const summary = await createConversation(client, flags, { provider: 'unconfigured' })
    return opened(summary, await withoutKey(client, namesOf(data['variables'])))
  }
}

async function withoutKey(client: Client, variables: readonly string[]): Promise<readonly Said[]> {
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

function opened(summary: ConversationSummary, said: readonly Said[] = []): Begun {
  return { kind: 'open', summary, said }
}

function info(text: string): Said {
  return { kind: 'note', level: 'info', text }
}
