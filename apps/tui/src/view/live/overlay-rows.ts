import type { ListedConversation } from '@parley/protocol'
import { layoutComposer } from '../../ui/composer/layout.ts'
import { matching } from '../../ui/picker.ts'
import type { Elsewhere, Overlay, Picker } from '../../ui/ui-state.ts'
import { formatAgo } from '../ago.ts'
import { beside, gutterCells, indented, marked } from '../gutter.ts'
import { stripEffects } from '../neutralise.ts'
import { shortPath } from '../short-path.ts'
import { type Line, narrowed, type Room } from '../span.ts'
import { truncateLine, truncateText } from '../truncate.ts'
import { cellWidth } from '../width.ts'
import { wrapLines } from '../wrap.ts'
import type { Written } from './composer-rows.ts'

export interface Around {
  readonly homeFolder: string
  readonly nowMs: number
  readonly maxRows: number
}

export function overlayRows(
  overlay: Overlay,
  room: Room,
  around: Around,
): { rows: readonly Line[]; caret: Written['caret'] | null } {
  return overlay.kind === 'picker'
    ? pickerRows(overlay, room, around)
    : { rows: elsewhereRows(overlay, room), caret: null }
}

function elsewhereRows({ pid }: Elsewhere, room: Room): readonly Line[] {
  const where = pid === null ? 'another process' : `process ${pid}`
  const lines: Line[] = [
    [{ text: `This conversation is open in ${where}.`, bold: true, tone: 'warn' }],
    [{ text: 'Only one process writes a conversation, so that nothing gets mixed up.', tone: 'muted' }],
    [],
    choice('v', 'view it, read-only'),
    choice('f', 'go on in a copy of it (fork)'),
    choice('q', 'leave it'),
  ]
  const [first = [], ...rest] = wrapLines(lines, beside(room))
  return [...marked({ text: '!', tone: 'warn', bold: true }, [first]), ...indented(rest)]
}

function choice(key: string, words: string): Line {
  return [{ text: key, bold: true, tone: 'accent' }, { text: ` ${words}` }]
}

function pickerRows(picker: Picker, room: Room, around: Around): Written {
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
          { text: 'Resume a conversation', bold: true },
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

function countWords({ conversations }: Picker): string {
  if (conversations === null) return 'looking…'
  return conversations.length === 0 ? 'there are none yet' : `${conversations.length} conversations`
}

function conversationRow(
  { title, name, cwd, updatedAt, shortId, live }: ListedConversation,
  isChosen: boolean,
  { nowMs, homeFolder, titleColumns }: Around & { titleColumns: number },
  room: Room,
): readonly Line[] {
  const words = stripEffects(name ?? title).replaceAll('\n', ' ') || 'without a message'
  const text = truncateText(words, { columns: titleColumns })
  const pad = ' '.repeat(titleColumns - cellWidth(text) + 2)
  const line: Line = [
    { text, ...(isChosen ? { bold: true, tone: 'accent' } : {}) },
    { text: `${pad}${formatAgo(updatedAt, nowMs).padEnd(13)}  ${shortId}  `, tone: 'muted' },
    ...(live === null ? [] : [{ text: 'open elsewhere  ', tone: 'warn' } as const]),
    { text: stripEffects(shortPath(cwd, homeFolder)), tone: 'muted' },
  ]
  const rows = [truncateLine(line, narrowed(room, gutterCells))]
  return isChosen ? marked({ text: '▸', tone: 'accent' }, rows) : indented(rows)
}
