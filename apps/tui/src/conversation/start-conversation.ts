import type { Parley } from '@parley/client'
import type { Notice } from '@parley/presentation/notices/notice'
import { unconfiguredProvider, wireErrors } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { forkConversation } from '../cli/connect.ts'
import { type CommonFlags, type ImageFlag, overridesOf } from '../cli/flags.ts'
import {
  createConversation,
  type Extra,
  folderOf,
  type OpenedConversation,
  openedBy,
  openOrView,
  watchOrView,
} from './open-conversation.ts'

/** Conversation that the command line asks for. */
export type SessionStart =
  | { readonly kind: 'new'; readonly prompt: string | null; readonly flags: CommonFlags & ImageFlag }
  | {
      readonly kind: 'resume'
      readonly id: string | null
      readonly last: boolean
      /** First message; null where the user types it. */
      readonly prompt: string | null
      readonly flags: CommonFlags & ImageFlag
    }
  | { readonly kind: 'attach'; readonly id: string | null; readonly readOnly: boolean; readonly flags: CommonFlags }
  | { readonly kind: 'fork'; readonly id: string; readonly at: number | null; readonly flags: CommonFlags }

export type StartedConversation =
  | OpenedConversation
  /** The user chooses from the list of conversations. */
  | { readonly kind: 'pick'; readonly liveOnly: boolean; readonly folder: string | null }

/** Opens the conversation of the command line. Throws the server's `RpcError` if it cannot be opened. */
export async function startConversation(
  parley: Parley,
  start: SessionStart,
  extra: Extra,
): Promise<StartedConversation> {
  switch (start.kind) {
    case 'new':
      return createOrExplain(parley, start.flags, extra)
    case 'resume':
      return start.id === null && !start.last
        ? { kind: 'pick', liveOnly: false, folder: folderOf(start.flags) }
        : resume(parley, start)
    case 'attach':
      return attach(parley, start)
    case 'fork':
      return openedBy(
        parley,
        await forkConversation(parley, { from: { prefix: start.id }, at: start.at }, overridesOf(start.flags)),
      )
  }
}

function resume(parley: Parley, { id, flags }: SessionStart & { kind: 'resume' }): Promise<OpenedConversation> {
  const overrides = overridesOf(flags)
  // A user without the right to change settings requests no settings.
  const options = Object.keys(overrides).length === 0 ? {} : { overrides }
  return openOrView(parley, id ?? { last: true, cwd: folderOf(flags) }, options)
}

/** Attaches to the named conversation, even after its turn has ended, or to the only live one. */
async function attach(
  parley: Parley,
  { id, readOnly }: SessionStart & { kind: 'attach' },
): Promise<StartedConversation> {
  const open = readOnly ? watchOrView : openOrView
  if (id !== null) return open(parley, id)
  const [first, ...others] = await parley.listLive()
  if (first === undefined)
    throw new RpcError(wireErrors.conversationNotFound, noneLive(parley), { code: 'conversationNotFound' })
  return others.length === 0 ? open(parley, first.conversationId) : { kind: 'pick', liveOnly: true, folder: null }
}

/** Returns the sentence for a list without a live conversation; other users' conversations do not count. */
function noneLive({ server }: Pick<Parley, 'server'>): string {
  return server.person === undefined
    ? 'No conversation is live. `parley resume` opens one.'
    : 'No conversation that you may read is live. `parley resume ID` opens one of `parley list`; to reach another, ask its owner to share it.'
}

/** Creates a conversation. Without credentials it has no model, and notices name the variables that were looked for. */
async function createOrExplain(parley: Parley, flags: CommonFlags, extra: Extra): Promise<OpenedConversation> {
  const banner = extra.banner === undefined ? [] : [info(extra.banner)]
  try {
    return openedBy(parley, await createConversation(parley, flags, extra), banner)
  } catch (error) {
    const data = error instanceof RpcError ? error.data : undefined
    if (data?.code !== 'noCredentials') throw error
    const conversation = await createConversation(parley, flags, { provider: unconfiguredProvider })
    return openedBy(parley, conversation, await noModelNotices(parley, namesIn(data['variables'])))
  }
}

const logInText = '/login asks for a key and keeps it; or start a local model server.'

async function noModelNotices(parley: Parley, variables: readonly string[]): Promise<readonly Notice[]> {
  const { local } = await parley.request('model/list', {})
  const looked = variables.length === 0 ? '' : ` (looked for ${variables.join(', ')})`
  const demo = `No model is configured${looked}, so nothing can be asked yet; \`parley demo\` shows a session.`
  const offers = local.map(
    ({ provider, name, baseUrl, models }) =>
      `${name} answers at ${baseUrl}: /model ${provider} ${models[0] ?? 'MODEL'} uses it here.`,
  )
  const next = offers.length === 0 ? logInText : [...offers, logInText].join('\n')
  return [{ kind: 'note', level: 'warning', text: demo }, info(next)]
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string' && name !== '') : []
}

function info(text: string): Notice {
  return { kind: 'note', level: 'info', text }
}

/** Time in ms before conversations are read for the search: a window that is left soon reads no conversation. */
const searchedAfterMs = 15_000

/** Has the server read conversations for the search, in the background, so that the first one finds all of them. */
export function fillSearchLater(parley: Pick<Parley, 'request'>): void {
  // A server of an earlier program that was joined does not know it.
  const fill = () => void parley.request('conversation/search', { query: '', waitMs: 0 }).catch(() => undefined)
  setTimeout(fill, searchedAfterMs).unref()
}
