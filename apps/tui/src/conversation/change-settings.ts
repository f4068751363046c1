import type { Conversation, Parley } from '@parley/client'
import type { ConversationState, SettingsPatch } from '@parley/protocol'
import { closest } from '@parley/text'
import { settingsLine } from '../ui/outside-changes.ts'
import type { UiAction } from '../ui/state/actions.ts'
import { note, type RequestIntent } from './rejected-intent.ts'

interface Checked {
  /** Reason not to use the model; null where it can be used. */
  readonly problem: string | null
  /** Reason why nothing is known of the model; null where it is listed. */
  readonly doubt: string | null
}

const fine: Checked = { problem: null, doubt: null }

/** Checks a model that the user names against its provider's list. Rejects with `invalidParams` for an unknown provider. */
export async function checkModel(
  { model, modelProvider }: SettingsPatch,
  { core }: Pick<ConversationState, 'core'>,
  parley: Pick<Parley, 'request'>,
): Promise<Checked> {
  if (model === undefined) return fine
  const provider = modelProvider ?? core.settings.modelProvider
  const { models, problems } = await parley.request('model/list', { provider })
  const ids = models.map(({ id }) => id)
  if (ids.includes(model)) return fine
  const [failed] = problems
  if (failed !== undefined) return { problem: null, doubt: `${provider} could not list its models: ${failed.message}` }
  if (ids.length === 0) return { problem: null, doubt: `${provider} lists no models, so this one is not checked.` }
  return { problem: notListed({ model, provider, ids }), doubt: null }
}

const namedIds = 8

function notListed({ model, provider, ids }: { model: string; provider: string; ids: readonly string[] }): string {
  const nearest = closest(model, ids)
  const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
  const rest = ids.length > namedIds ? `, and ${ids.length - namedIds} more (/model lists them)` : ''
  return `${provider} has no model "${model}", nothing changed.${hint} Choices: ${ids.slice(0, namedIds).join(', ')}${rest}.`
}

/** Changes settings, and says so unless the screen shows it anyway; a model that no provider lists is doubted. */
export async function changeSettings(
  { settings, isShown }: Extract<RequestIntent, { kind: 'configure' }>,
  conversation: Pick<Conversation, 'state' | 'configure'>,
  parley: Pick<Parley, 'request'>,
): Promise<readonly UiAction[]> {
  const { problem, doubt } = await checkModel(settings, conversation.state, parley)
  if (problem !== null) return [note('warning', problem)]
  await conversation.configure(settings)
  if (isShown === true) return []
  const text = `${settingsLine(settings)}.`
  return [doubt === null ? note('info', text) : note('warning', `${text} ${doubt}`)]
}
