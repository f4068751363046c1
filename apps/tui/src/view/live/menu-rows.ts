import { shownName, strippedLine } from '@parley/presentation/text/control-characters'
import { formatAgo, placedPath } from '@parley/presentation/text/formats'
import { type Line, lineText, type Room, type Span } from '@parley/presentation/text/span'
import { truncateLine, truncateText } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { ListedConversation } from '@parley/protocol'
import { greatest } from '@parley/text'
import { layoutComposer } from '../../ui/composer/layout.ts'
import { chosenRow, type Menu, type MenuRow, matching } from '../../ui/menu/menu.ts'
import { type Picker, placeOf } from '../../ui/menu/picker.ts'
import { wrapLine } from '../text/fit-rows.ts'
import { beside, gutterCells, indented, marked } from '../text/gutter.ts'
import type { RowsWithCaret } from './search-rows.ts'

export interface MenuScene {
  readonly homeFolder: string
  readonly nowMs: number
  readonly maxRows: number
}

/** Rows of the list that a heading and a preview never take. */
const leastListRows = 5

/**
 * Returns the menu around the chosen row. A low window loses the preview first, then the blank row, the heading and the
 * filter, so that the chosen row and a warning remain.
 */
export function menuRows(menu: Menu, room: Room, scene: MenuScene): RowsWithCaret {
  const { maxRows } = scene
  const warning = warningRows(menu, room).slice(0, Math.max(0, maxRows - 1))
  const spare = Math.max(0, maxRows - warning.length - 1)
  const { rows: filter, caret } = filterRows(menu, room)
  const head = spare >= 2 ? [headingRow(menu, room), ...filter] : filter.slice(0, spare)
  const gap: readonly Line[] = spare >= 4 ? [[]] : []
  const found = matching(menu)
  const wished = warning.length > 0 ? [] : footRows(menu, room)
  const left = maxRows - head.length - gap.length - warning.length
  const foot = left - wished.length >= Math.min(leastListRows, found.length) ? wished : []
  const list = listRows(menu, room, { ...scene, maxRows: left - foot.length })
  return {
    rows: [...head, ...gap, ...list, ...warning, ...foot],
    caret: { row: Math.max(0, head.length - 1), column: caret.column + gutterCells },
  }
}

function headingRow(menu: Menu, room: Room): Line {
  const line: Line = [
    { text: menu.title, bold: true },
    { text: `  ${keyWords(menu)}`, tone: 'muted' },
  ]
  return indented([truncateLine(line, beside(room))])[0] ?? []
}

/** Returns what Enter does with the chosen row. */
function takesWord(kind: Menu['kind']): string {
  if (kind === 'stopBackground') return 'stops'
  return kind === 'resume' || kind === 'attach' || kind === 'background' ? 'opens' : 'takes'
}

function keyWords({ kind, folder, isFolderOnly, picker }: Menu): string {
  if (picker !== null) return pickerKeyWords(picker, isFolderOnly)
  const tab = folder === null ? '' : `Tab ${isFolderOnly ? 'all folders' : 'this folder'} · `
  return `${tab}Enter ${takesWord(kind)} · Esc closes`
}

function pickerKeyWords({ doing, isArchived }: Picker, isFolderOnly: boolean): string {
  if (doing?.kind === 'rename') return 'Enter keeps this name · Esc does not'
  const tab = isArchived ? 'back' : isFolderOnly ? 'all folders' : 'archived'
  const archive = isArchived ? 'put back' : 'archive'
  return `Tab ${tab} · Ctrl+R name · Ctrl+X ${archive} · Del delete · Enter opens · Esc closes`
}

function filterRows(menu: Menu, room: Room): RowsWithCaret {
  const { rows, caret } = layoutComposer(menu.filter, beside(room), 1)
  const words: Line = [{ text: countWords(menu), tone: 'muted' }]
  const shown = menu.filter.text === '' ? [truncateLine(words, beside(room))] : rows
  return { rows: marked({ text: '›', tone: 'accent', bold: true }, shown), caret }
}

function countWords(menu: Menu): string {
  const { kind, rows, folder, isFolderOnly, picker } = menu
  if (rows === null) return 'looking…'
  if (picker?.isArchived === true && rows.length === 0) return 'none is archived'
  if (kind !== 'resume' && kind !== 'attach') return kind === 'model' ? 'search, or the name of a model' : 'search'
  if (rows.length === 0) return kind === 'attach' ? 'none is open in another process' : 'there are none yet'
  const amount = matching(menu).length
  const words = `search ${amount} ${picker?.isArchived === true ? 'archived ' : ''}${amount === 1 ? 'conversation' : 'conversations'}`
  if (folder === null) return words
  return isFolderOnly ? `${words} in this folder, ${rows.length} in all` : `${words} in all folders`
}

/** Returns the rows around the chosen one, or the reason for an empty menu. */
function listRows(menu: Menu, room: Room, scene: MenuScene): readonly Line[] {
  const maxRows = Math.max(0, scene.maxRows)
  const found = matching(menu)
  const top = Math.max(0, Math.min(menu.choice - Math.floor(maxRows / 2), found.length - maxRows))
  const columns = Math.min(widest(found, room), textColumns(menu, room))
  const rows = found
    .slice(top, top + maxRows)
    .flatMap((row, index) => optionRows(row, top + index === menu.choice, { ...scene, columns }, room))
  const problem = problemWords(menu)
  if (problem === null) return rows
  return [...rows, ...indented(wrapLine([{ text: problem, tone: 'muted' }], beside(room)))].slice(0, maxRows)
}

function problemWords(menu: Menu): string | null {
  const typed = menu.filter.text.trim()
  if (menu.rows === null) return null
  if (menu.problem !== null && typed === '') return menu.problem
  if (typed === '' || matching(menu).length > 0) return null
  return menu.kind === 'model' ? `none matches: Enter uses ${strippedLine(typed)} by this name` : 'none matches'
}

function textColumns({ kind }: Menu, room: Room): number {
  const half = Math.max(20, Math.floor(room.columns / 2))
  return kind === 'resume' || kind === 'attach' ? Math.min(60, half) : half
}

function widest(rows: readonly MenuRow[], { ambiguous }: Room): number {
  return greatest(rows.map((row) => cellWidth(rowWords(row), ambiguous)))
}

function rowWords({ text, listed }: MenuRow): string {
  return shownName(text) || (listed === null ? '' : '(pasted text)')
}

function optionRows(
  row: MenuRow,
  isChosen: boolean,
  { columns, ...scene }: MenuScene & { readonly columns: number },
  room: Room,
): readonly Line[] {
  const text = truncateText(rowWords(row), { ...room, columns })
  const pad = ' '.repeat(Math.max(0, columns - cellWidth(text, room.ambiguous)) + 2)
  const name: Span = row.isDisabled ? { text, tone: 'muted' } : { text }
  const line: Line = [
    isChosen ? { ...name, bold: true, tone: row.isDisabled ? 'muted' : 'accent' } : name,
    { text: pad },
    ...(row.listed === null ? settingSpans(row) : placeSpans(row.listed, { ...scene, isHere: row.isCurrent })),
  ]
  const rows = [truncateLine(line, beside(room))]
  return isChosen ? marked({ text: '▸', tone: 'accent' }, rows) : indented(rows)
}

function settingSpans(row: MenuRow): Line {
  return [...(row.isCurrent ? [{ text: 'now  ', tone: 'accent' } as const] : []), ...detailSpans(row)]
}

function detailSpans({ detail, isDisabled }: MenuRow): Line {
  return [{ text: strippedLine(detail), tone: isDisabled ? 'warn' : 'muted' }]
}

function placeSpans(
  { cwd, environment, updatedAt, shortId, live }: ListedConversation,
  { nowMs, homeFolder, isHere }: Pick<MenuScene, 'nowMs' | 'homeFolder'> & { readonly isHere: boolean },
): Line {
  return [
    { text: `${formatAgo(updatedAt, nowMs).padEnd(13)}  ${shortId}  `, tone: 'muted' },
    ...(isHere ? [{ text: 'this one  ', tone: 'accent' } as const] : []),
    ...(live === null || isHere ? [] : [{ text: 'live  ', tone: 'accent' } as const]),
    { text: shownName(placedPath(cwd, environment, homeFolder)), tone: 'muted' },
  ]
}

/** Returns the consequence of the chosen row and how to confirm it, once Enter was pressed on it. */
function warningRows(menu: Menu, room: Room): readonly Line[] {
  const row = chosenRow(menu)
  if (row !== null && menu.picker?.doing?.kind === 'delete') return deletionRows(row, room)
  if (row === null || row.warning === null || menu.confirming !== row.key) return []
  const line: Line = [
    { text: `⚠ ${row.warning}`, tone: 'bad', bold: true },
    { text: ` Enter again ${takesWord(menu.kind)} it, Esc closes.`, tone: 'muted' },
  ]
  return indented(wrapLine(line, beside(room)))
}

function deletionRows(row: MenuRow, room: Room): readonly Line[] {
  const line: Line = [
    { text: `⚠ Delete ${rowWords(row)} with all its files? This cannot be undone.`, tone: 'bad', bold: true },
    { text: ' Enter deletes it, Esc keeps it.', tone: 'muted' },
  ]
  return indented(wrapLine(line, beside(room)))
}

/** Returns the beginning and the end of the chosen conversation, or the chosen detail where its row is too narrow. */
function footRows(menu: Menu, room: Room): readonly Line[] {
  const row = chosenRow(menu)
  if (row === null) return []
  if (row.listed !== null) return previewRows(row.listed, menu, room)
  const detail = wrapLine(detailSpans(row), beside(room))
  const columns = Math.min(widest(matching(menu), room), textColumns(menu, room))
  const isCut =
    gutterCells + columns + 2 + (row.isCurrent ? 5 : 0) + cellWidth(row.detail, room.ambiguous) > room.columns
  return isCut ? [[], ...indented(detail)] : []
}

function previewRows({ conversationId, title }: ListedConversation, menu: Menu, room: Room): readonly Line[] {
  const place = placeOf(menu.picker, conversationId, menu.filter.text)
  if (place !== null) return [[], ...indented(wrapLine(placeLine(place), beside(room)).slice(0, mostPlaceRows))]
  const lines = menu.previews[conversationId] ?? []
  if (lines.length === 0) return []
  const first: Line = [{ text: `› ${shownName(title)}`, tone: 'muted' }]
  const last = lines.map((text): Line => [{ text: strippedLine(text), tone: 'muted' }])
  const isSaid = lineText(first) === strippedLine(lines[0] ?? '')
  const rows = (isSaid ? last : [first, ...last]).map((line) => truncateLine(line, beside(room)))
  return [[], ...indented(rows)]
}

/** Rows of the place that has the words of the filter. */
const mostPlaceRows = 4

function placeLine(place: string): Line {
  return [
    { text: 'in it: ', tone: 'accent' },
    { text: strippedLine(place), tone: 'muted' },
  ]
}
