import { backgroundCommands, backgroundRows } from '../menu/background-rows.ts'
import { newMenu } from '../menu/menu.ts'
import { stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { addNote, type UiState } from '../state/ui-state.ts'

/** Types a line into the one command that runs in the background, or asks into which. */
export function typeInBackground(ui: UiState, text: string, { state, nowMs }: UiContext): UiStep {
  const commands = backgroundCommands({ inBackground: [] }, state)
  const [only] = commands
  if (only === undefined)
    return stepTo(addNote(ui, 'info', 'No command of the model runs in the background, so nothing was typed.'))
  if (commands.length === 1) return stepTo(ui, { kind: 'typeInProcess', itemId: only.itemId, text })
  const rows = backgroundRows(commands, 'open', nowMs).map((row) => ({ ...row, key: `${row.key} ${text}` }))
  return stepTo({ ...ui, menu: newMenu({ kind: 'typeInBackground', title: 'Into which?', rows }, nowMs) })
}

/** Takes the chosen command; its row has the text behind the id. */
export function takeProcess(ui: UiState, key: string): UiStep {
  const [itemId = '', ...words] = key.split(' ')
  return stepTo(ui, { kind: 'typeInProcess', itemId, text: words.join(' ') })
}
