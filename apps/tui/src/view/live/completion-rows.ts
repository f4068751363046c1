import { chosenCompletion, completionsOf } from '../../ui/completions.ts'
import type { UiState } from '../../ui/ui-state.ts'
import { beside, indented, marked } from '../gutter.ts'
import type { Line, Room } from '../span.ts'
import { truncateLine } from '../truncate.ts'
import { isOwnCommand } from './composer-rows.ts'

const ownCommand = 'You run this yourself: outside the sandbox, with all your rights'

/** What the text may become: commands, the chosen one marked; or one that the user runs, and what stands around that. */
export function completionRows(ui: UiState, room: Room, maxRows: number): readonly Line[] {
  if (isOwnCommand(ui))
    return indented([truncateLine([{ text: ownCommand, tone: 'muted' }], beside(room))]).slice(0, maxRows)
  const list = completionsOf(ui)
  const chosen = chosenCompletion(ui)
  const at = chosen === null ? 0 : list.indexOf(chosen)
  const top = Math.max(0, Math.min(at - Math.floor(maxRows / 2), list.length - maxRows))
  const nameColumns = Math.max(0, ...list.map(({ name, argument }) => name.length + argument.length + 2))
  return list.slice(top, top + maxRows).flatMap((command) => {
    const { name, argument, about } = command
    const pad = ' '.repeat(nameColumns - name.length - argument.length)
    const line: Line = [
      { text: `/${name}`, ...(command === chosen ? { bold: true, tone: 'accent' } : {}) },
      { text: ` ${argument}${pad}`, tone: 'muted' },
      { text: about, tone: 'muted' },
    ]
    const rows = [truncateLine(line, beside(room))]
    return command === chosen ? marked({ text: '▸', tone: 'accent' }, rows) : indented(rows)
  })
}
