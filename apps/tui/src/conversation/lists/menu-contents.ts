import type { Conversation, Parley } from '@parley/client'
import type { ConversationState } from '@parley/protocol'
import { sentMessages } from '../../ui/earlier-message.ts'
import { loginRows, logoutRows, modelRows } from '../../ui/menu/loaded-rows.ts'
import type { MenuRow } from '../../ui/menu/menu.ts'
import type { UiAction } from '../../ui/state/actions.ts'
import type { SentMessage } from '../../ui/state/ui-state.ts'

export type MenuServer = Pick<Parley, 'request'>

type CurrentModel = Pick<ConversationState, 'core'> | null

/** Loads the models of all providers, with the one in use marked. */
export async function loadModels(
  parley: MenuServer,
  state: CurrentModel,
): Promise<{ readonly rows: readonly MenuRow[]; readonly problem: string | null }> {
  const rows = modelRows(await parley.request('model/list', {}), state?.core.settings ?? null)
  return { rows, problem: rows.some(({ isDisabled }) => !isDisabled) ? null : noModels }
}

/** Reads the models that providers listed earlier; empty without a kept list. Asks no provider. */
export async function keptModels(parley: MenuServer, state: CurrentModel): Promise<readonly MenuRow[]> {
  const kept = await parley.request('model/list', { kept: true })
  return kept.models.length === 0 ? [] : modelRows(kept, state?.core.settings ?? null)
}

interface Loaded {
  readonly rows: readonly MenuRow[]
  readonly problem: string | null
}

/** Loads the providers to log in to, or the logins that are kept. Rejects where this client may not log in. */
export async function loadLogins(parley: MenuServer, menu: 'login' | 'logout', state: CurrentModel): Promise<Loaded> {
  const kept = await parley.request('login/status', {})
  const rows =
    menu === 'logout'
      ? logoutRows(kept)
      : loginRows(await parley.request('provider/list', {}), state?.core.settings ?? null)
  return { rows, problem: rows.length === 0 ? noLogins[menu] : null }
}

const noLogins = {
  login: 'No provider here takes a key: [model_providers] of config.toml adds one.',
  logout: 'No key is kept here, so there is nothing to forget.',
} as const

const noModels = 'No provider lists its models: write the name of one, and Enter uses it.'

/** Bounds of the pages read for the list of messages. */
const olderPages = 10
const olderItems = 1_000

/** Reads the user's messages before a seq, a page of items at a time, the newest page first. */
async function* readOlderMessages(
  conversation: Pick<Conversation, 'request'>,
  before: number,
): AsyncGenerator<readonly SentMessage[]> {
  let at = before
  for (let page = 0; page < olderPages; page++) {
    const { items, more } = await conversation.request('conversation/read', { before: at, limit: olderItems })
    yield sentMessages(items)
    const [oldest] = items
    if (!more || oldest === undefined) return
    at = oldest.seq
  }
}

/** Lists the user's messages before a seq, page by page. */
export async function listOlder(
  before: number,
  conversation: Pick<Conversation, 'request'>,
  dispatch: (...actions: readonly UiAction[]) => void,
): Promise<void> {
  for await (const messages of readOlderMessages(conversation, before)) dispatch({ kind: 'olderRead', messages })
}
