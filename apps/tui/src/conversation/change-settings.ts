import type { Conversation, Parley } from '@parley/client'
import type { UiAction } from '../ui/actions.ts'
import { settingsLine } from '../ui/outside-changes.ts'
import { checkModel } from './check-model.ts'
import { note, type RequestIntent } from './rejected-intent.ts'

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
