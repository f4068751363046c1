import { commandOf } from '@parley/presentation/items/call-facts'
import { wholeFileOf } from '@parley/presentation/items/item-text'
import { pathText } from '@parley/presentation/items/item-words'
import { showEffects, showHidden, stripEffects } from '@parley/presentation/text/control-characters'
import { formatBytes } from '@parley/presentation/text/formats'
import type { Line, Room } from '@parley/presentation/text/span'
import type { CallOutput, FileChangeEntry, Item, ItemOf } from '@parley/protocol'
import { renderMarkdown } from '../markdown/render.ts'
import { wrapLine, wrapLines } from '../text/fit-rows.ts'
import { banded, below, beside, indented, textRows } from '../text/gutter.ts'
import { aboutChange, diffOf } from '../transcript/change-block.ts'
import { openedCompaction } from '../transcript/compaction-block.ts'
import { itemBlock } from '../transcript/item-block.ts'
import { collapseOverwrites } from '../transcript/output-rows.ts'

/** Returns all rows of an item, without its side file. */
export function openedRows(item: Item, room: Room): readonly Line[] {
  switch (item.type) {
    case 'userMessage':
      return wholeFileOf(item) === null ? messageRows(item, room) : []
    case 'reasoning':
      return indented(renderMarkdown(item.text, beside(room)).map(mutedLine))
    case 'commandExecution':
    case 'shellCommand':
      return [...headRows(item, room), ...commandRows(item, room), ...outputRowsOf(item, room)]
    case 'fileChange':
      return [...headRows(item, room), ...content(patchRows(item, below(room)))]
    case 'toolCall':
      return [...headRows(item, room), ...toolRows(item, room)]
    case 'contextCompaction':
      return openedCompaction(item, room)
    case 'agentMessage':
    case 'notice':
      return itemBlock(item, room).lines
    default:
      return unknownRows(item, room)
  }
}

function mutedLine(line: Line): Line {
  return line.map((span) => ({ ...span, tone: 'muted' as const }))
}

/** Returns the rows of an item without its content, as the transcript has them. */
function headRows(item: Item, room: Room): readonly Line[] {
  if (item.type === 'fileChange') return aboutChange(item, room)
  if (!('output' in item)) return itemBlock(item, room).lines
  const { output: _, ...head } = item
  return itemBlock(head, room).lines
}

/** Lines of a command that the transcript shows whole. */
const shortLines = 8

function messageRows(item: ItemOf<'userMessage'>, room: Room): readonly Line[] {
  return banded(textRows(stripEffects(item.text).trimEnd(), room), room)
}

/** Returns the rows of a call's content, as far in as the transcript has them. */
function content(rows: readonly Line[]): readonly Line[] {
  return indented(indented(rows))
}

function commandRows(item: ItemOf<'commandExecution' | 'shellCommand'>, room: Room): readonly Line[] {
  const text = commandOf(item)
  const lines = showHidden(text).split('\n')
  if (lines.length <= shortLines && text.length < shortLines * room.columns) return []
  return content(
    wrapLines(
      lines.map((line) => [{ text: line }]),
      { ...below(room), mode: 'anywhere', hang: 0 },
    ),
  )
}

function outputRowsOf(item: ItemOf<'commandExecution' | 'shellCommand' | 'toolCall'>, room: Room): readonly Line[] {
  if (item.output === undefined || wholeFileOf(item) !== null) return []
  return keptRows(item.output, room)
}

function keptRows({ binary, head, tail, totalBytes, omittedBytes }: CallOutput, room: Room): readonly Line[] {
  if (binary) return content([[{ text: `${formatBytes(totalBytes)} that are not text`, tone: 'muted' }]])
  const hidden: Line = [{ text: `… ${formatBytes(omittedBytes)} were not kept`, tone: 'muted' }]
  return [...plainRows(head, room), ...(omittedBytes > 0 ? content([hidden]) : []), ...plainRows(tail, room)]
}

/** Returns text of a program as rows, nothing left out. A single line end closes the last line. */
export function plainRows(text: string, room: Room): readonly Line[] {
  const shown = stripEffects(collapseOverwrites(text), 8).replace(/\n$/, '')
  if (shown === '') return []
  const lines = shown.split('\n').map((line): Line => (line === '' ? [] : [{ text: line }]))
  return content(wrapLines(lines, { ...below(room), mode: 'anywhere', hang: 0 }))
}

/** Returns the changed lines of all files, below the name of each where there are several. */
function patchRows({ changes }: ItemOf<'fileChange'>, room: Room): readonly Line[] {
  return changes.flatMap((change) => [
    ...(changes.length > 1 ? nameRows(change, room) : []),
    ...diffOf(change, room, false),
  ])
}

function nameRows(change: FileChangeEntry, room: Room): readonly Line[] {
  const { kind, additions, deletions } = change
  const words = { add: '  new', update: '', delete: '  deleted' }[kind]
  const head: Line = [
    { text: pathText(change), bold: true },
    { text: `  +${additions}`, tone: 'good' },
    { text: ` −${deletions}`, tone: 'bad' },
    ...(words === '' ? [] : [{ text: words, tone: 'muted' } as const]),
  ]
  return [[], ...wrapLine(head, room)]
}

function toolRows(item: ItemOf<'toolCall'>, room: Room): readonly Line[] {
  const input = item.input === '{}' ? [] : textRows(showEffects(item.input), room, { tone: 'muted' })
  const whole = item.output === undefined && item.modelText !== undefined ? plainRows(item.modelText, room) : []
  return [...indented(input), ...outputRowsOf(item, room), ...whole]
}

function unknownRows({ title, text }: Pick<Item, 'title' | 'text'>, room: Room): readonly Line[] {
  return indented([
    ...textRows(showEffects(title), room, { bold: true }),
    ...(text === '' || text === title ? [] : textRows(showEffects(text), room)),
  ])
}
