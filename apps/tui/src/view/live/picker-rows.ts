import type { ListedConversation } from '@parley/protocol'
import { layoutComposer } from '../../ui/composer/layout.ts'
import { matching } from '../../ui/picker.ts'
import type { Picker } from '../../ui/ui-state.ts'
import { shownName } from '../text/control-characters.ts'
import { truncateLine, truncateText } from '../text/fit-rows.ts'
import { formatAgo, placedPath } from '../text/formats.ts'
import { beside, gutterCells, indented, marked } from '../text/gutter.ts'
import { type Line, narrowed, type Room } from '../text/span.ts'
import { cellWidth } from '../text/width.ts'
import type { RowsWithCaret } from './composer-rows.ts'

export interface Around {
  readonly homeFolder: string
  readonly nowMs: number
  readonly maxRows: number
}

/** Returns the list of conversations around the chosen one. */
export function pickerRows(picker: Picker, room: Room, around: Around): RowsWithCaret {
  const found = matching(picker)
  const listRows = Math.max(1, around.maxRows - 4)
  const top = Math.max(0, Math.min(picker.choice - Math.floor(listRows / 2), found.length - listRows))
  const shown = found.slice(top, top + listRows)
  const titleColumns = Math.min(60, Math.max(20, Math.floor(room.columns / 2)))
  const { rows: filter, caret } = layoutComposer(picker.filter, beside(room), 1)
  const rows: readonly Line[] = [
    ...indented([
      truncateLine(
        [
          { text: picker.liveOnly ? 'Attach to a conversation' : 'Resume a conversation', bold: true },
          { text: '  type to filter · Enter opens · Esc closes', tone: 'muted' },
        ],
        beside(room),
      ),
    ]),
    ...marked(
      { text: '›', tone: 'accent', bold: true },
      picker.filter.text === '' ? [[{ text: countWords(picker), tone: 'muted' }]] : filter,
    ),
    [],
    ...shown.flatMap((conversation, index) =>
      conversationRow(conversation, top + index === picker.choice, { ...around, titleColumns }, room),
    ),
  ]
  return { rows, caret: { row: 1 + caret.row, column: caret.column + gutterCells } }
}

function countWords({ conversations, liveOnly }: Picker): string {
  if (conversations === null) return 'looking…'
  if (conversations.length === 0) return liveOnly ? 'none is open in another process' : 'there are none yet'
  return `${conversations.length} ${conversations.length === 1 ? 'conversation' : 'conversations'}`
}

function conversationRow(
  { title, name, cwd, environment, updatedAt, shortId, live }: ListedConversation,
  isChosen: boolean,
  { nowMs, homeFolder, titleColumns }: Around & { titleColumns: number },
  room: Room,
): readonly Line[] {
  const words = shownName(name ?? title) || 'without a message'
  const text = truncateText(words, { columns: titleColumns })
  const pad = ' '.repeat(titleColumns - cellWidth(text) + 2)
  const line: Line = [
    { text, ...(isChosen ? { bold: true, tone: 'accent' } : {}) },
    { text: `${pad}${formatAgo(updatedAt, nowMs).padEnd(13)}  ${shortId}  `, tone: 'muted' },
    ...(live === null ? [] : [{ text: 'live  ', tone: 'accent' } as const]),
    { text: shownName(placedPath(cwd, environment, homeFolder)), tone: 'muted' },
  ]
  const rows = [truncateLine(line, narrowed(room, gutterCells))]
  return isChosen ? marked({ text: '▸', tone: 'accent' }, rows) : indented(rows)
}
