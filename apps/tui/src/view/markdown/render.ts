import { inlineLines, knownToken, parseMarkdown } from '@parley/presentation/markdown/inline'
import { stripEffects } from '@parley/presentation/text/control-characters'
import { type Line, lineText, narrowed, type Room, type Span, type Style } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import type { MarkedToken, Tokens } from 'marked'
import { wrapLines, wrapMarked } from '../text/fit-rows.ts'
import { advance, emptyFlow, type Piece, rest } from './settle-blocks.ts'
import { tableRows } from './table.ts'

function renderPiece(piece: Piece, room: Room): readonly Line[] {
  const rows =
    piece.kind === 'blocks'
      ? blockRows(parseMarkdown(piece.text), room, piece.ordinal)
      : [...(piece.begins ? languageRow(piece.language) : []), ...codeRows(piece, room)]
  return piece.gap ? [[], ...rows] : rows
}

export function renderPieces(pieces: readonly Piece[], room: Room): readonly Line[] {
  return pieces.flatMap((piece) => renderPiece(piece, room))
}

export function renderMarkdown(text: string, room: Room): readonly Line[] {
  const { flow, settled } = advance(emptyFlow, text)
  return renderPieces([...settled, ...rest(flow)], room)
}

/** Minimum room in cells; deeper nesting is not indented. */
const minColumns = 12

/** Maximum width of prose, in cells; wider lines are hard to read. Code and tables have the whole room. */
const proseColumns = 100

function proseRoom(room: Room): Room {
  return { ...room, columns: Math.min(room.columns, proseColumns) }
}

/** Returns the rows of block tokens, one blank row between blocks. `ordinal` replaces the first list's own number. */
export function blockRows(tokens: readonly MarkedToken[], room: Room, ordinal?: number): readonly Line[] {
  const rows: Line[] = []
  for (const token of tokens) {
    const block = tokenRows(token, room, ordinal)
    if (block.length > 0 && rows.length > 0) rows.push([])
    for (const row of block) rows.push(row)
  }
  return rows
}

/** Returns the rows of fenced or indented code, nothing hidden; the rest of a long line is marked. */
function codeRows({ lines, before, language }: Code, room: Room): readonly Line[] {
  const texts = [...before, ...lines].map((line) => stripEffects(line))
  const coloured = room.highlight?.(texts, language)
  return texts.slice(before.length).flatMap((text, index) => {
    const line = coloured?.[before.length + index] ?? [{ text, code: true as const }]
    return text === '' ? [[]] : wrapMarked(line, room, 'anywhere')
  })
}

interface Code {
  readonly lines: readonly string[]
  /** Lines of the same block that are printed already. */
  readonly before: readonly string[]
  readonly language: string
}

function codeBlock(lines: readonly string[], language: string, room: Room): readonly Line[] {
  return [...languageRow(language), ...codeRows({ lines, before: [], language }, room)]
}

function languageRow(language: string): readonly Line[] {
  const text = stripEffects(language).slice(0, 20)
  return text === '' ? [] : [[{ text, tone: 'muted', italic: true }]]
}

function tokenRows(token: MarkedToken, room: Room, ordinal?: number): readonly Line[] {
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return []
    case 'heading':
      return wrapLines(inlineLines(knownToken(token.tokens), headingStyle(token.depth)), proseRoom(room))
    case 'code':
      return codeBlock(codeLines(token.text), token.lang?.split(/\s/)[0] ?? '', room)
    case 'hr':
      return [ruleRow(proseRoom(room))]
    case 'blockquote':
      return quoteRows(token, room)
    case 'list':
      return listRows(token, room, ordinal)
    case 'table':
      return tableRows(token, room)
    case 'paragraph':
      return wrapLines(inlineLines(knownToken(token.tokens), {}), proseRoom(room))
    default:
      return wrapLines(inlineLines([token], {}), proseRoom(room))
  }
}

function codeLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function headingStyle(depth: number): Style {
  return depth === 1 ? { bold: true, underline: true, tone: 'heading' } : { bold: true, tone: 'heading' }
}

function ruleRow(room: Room): Line {
  return [{ text: '─'.repeat(Math.floor(room.columns / cellWidth('─', room.ambiguous))), tone: 'muted' }]
}

function quoteRows(token: Tokens.Blockquote, room: Room): readonly Line[] {
  const bar: Span = { text: '│ ', tone: 'muted' }
  const inner = inset(room, cellWidth(bar.text, room.ambiguous))
  const rows = blockRows(knownToken(token.tokens), inner ?? room)
  return inner === null ? rows : rows.map((row) => [bar, ...row])
}

/** Returns the rows of a list; its items keep the blank lines of the source. */
function listRows(list: Tokens.List, room: Room, ordinal?: number): readonly Line[] {
  const first = ordinal ?? Number(list.start)
  return list.items.flatMap((item, index) => {
    const marker = list.ordered ? `${first + index}. ` : '• '
    const rows = itemRows(item, marker, room)
    return index < list.items.length - 1 && /\n[ \t]*\n[ \t]*$/.test(item.raw) ? [...rows, []] : rows
  })
}

function itemRows(item: Tokens.ListItem, marker: string, room: Room): readonly Line[] {
  const lead: Span[] = [{ text: marker, tone: 'muted' }]
  if (item.task)
    lead.push({ text: item.checked === true ? '[x] ' : '[ ] ', tone: item.checked === true ? 'good' : 'muted' })
  const width = cellWidth(marker, room.ambiguous)
  const inner = inset(room, cellWidth(lineText(lead), room.ambiguous))
  const rows = itemBody(knownToken(item.tokens), inner ?? narrowed(room, width))
  const [head = [], ...others] = rows
  if (inner === null) return [lead, ...rows.filter((row) => row.length > 0)]
  const indent = ' '.repeat(room.columns - inner.columns)
  return [[...lead, ...head], ...others.map((row) => (row.length === 0 ? row : [{ text: indent }, ...row]))]
}

/** Returns the rows of an item, with blank rows only where the source has them. */
function itemBody(tokens: readonly MarkedToken[], room: Room): readonly Line[] {
  const rows: Line[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'space' && index > 0 && index < tokens.length - 1) rows.push([])
    for (const row of tokenRows(token, room)) rows.push(row)
  }
  return rows
}

/** Returns the room inside a prefix; null if it would be too narrow to read. */
function inset(room: Room, columns: number): Room | null {
  return room.columns - columns < minColumns ? null : narrowed(room, columns)
}
