import {
  closesFence,
  dedented,
  type Fence,
  type ItemMarker,
  indentOf,
  isUnderline,
  type LineKind,
  lineKind,
} from './line-kind.ts'

/**
 * Part of a message that renders independently: the rendered pieces, in order, are the rendered message. `gap`: a blank
 * row precedes it.
 */
export type Piece = BlocksPiece | CodePiece

interface BlocksPiece {
  readonly kind: 'blocks'
  readonly gap: boolean
  readonly text: string
  /** Number of the first list item, where the text continues an ordered list. */
  readonly ordinal?: number
}

/** Lines of a fenced block, without the fence; a long block comes in several pieces. */
interface CodePiece {
  readonly kind: 'code'
  readonly gap: boolean
  readonly begins: boolean
  readonly language: string
  /** Newest lines of the block before these, from which its colours go on. */
  readonly before: readonly string[]
  readonly lines: readonly string[]
}

type Mode = { readonly kind: 'none' | 'paragraph' | 'quote' | 'indented' } | ListMode | CodeMode

interface CodeMode {
  readonly kind: 'code'
  readonly fence: Fence
  readonly language: string
  readonly begun: boolean
  readonly before: readonly string[]
}

/** Lines of a block that are kept for the colours of the next. */
const keptLines = 30

interface ListMode {
  readonly kind: 'list'
  readonly item: ItemMarker
  readonly ordinal: number | null
  readonly gap: boolean
  readonly afterBlank: boolean
  /** True if an unindented line of text would still belong to the item. */
  readonly lazy: boolean
}

/** Unsettled rest of a message that is still arriving. Immutable; `advance` costs only as much as the new text. */
export interface Flow {
  readonly mode: Mode
  /** Complete lines of the current block. */
  readonly block: string
  /** Line without an end so far. */
  readonly partial: string
  readonly started: boolean
}

interface BlockScan {
  mode: Mode
  block: string
  started: boolean
  code: string[]
  readonly pieces: Piece[]
}

const idle: Mode = { kind: 'none' }

export const emptyFlow: Flow = { mode: idle, block: '', partial: '', started: false }

/** Reads more of the message; `settled` are the pieces that no later text can change. */
export function advance(flow: Flow, text: string): { readonly flow: Flow; readonly settled: readonly Piece[] } {
  const end = text.lastIndexOf('\n')
  if (end === -1) return { flow: { ...flow, partial: flow.partial + text }, settled: [] }
  const scan: BlockScan = { mode: flow.mode, block: flow.block, started: flow.started, code: [], pieces: [] }
  const lines = text.slice(0, end).split('\n')
  lines[0] = flow.partial + (lines[0] ?? '')
  for (const line of lines) takeLine(scan, line.endsWith('\r') ? line.slice(0, -1) : line)
  flushCode(scan)
  const { mode, block, started } = scan
  return { flow: { mode, block, started, partial: text.slice(end + 1) }, settled: scan.pieces }
}

/** Returns the unsettled rest as if the message ended here. */
export function rest(flow: Flow): readonly Piece[] {
  const { flow: ended, settled } = flow.partial === '' ? { flow, settled: [] } : advance(flow, '\n')
  const scan: BlockScan = {
    mode: ended.mode,
    block: ended.block,
    started: ended.started,
    code: [],
    pieces: [...settled],
  }
  endBlock(scan)
  return scan.pieces
}

function takeLine(scan: BlockScan, line: string): void {
  const { mode } = scan
  if (mode.kind === 'code') takeCodeLine(scan, mode, line)
  else if (mode.kind === 'list') takeListLine(scan, mode, line)
  else if (mode.kind === 'indented') takeIndentedLine(scan, line)
  else if (mode.kind === 'none') beginBlock(scan, line, lineKind(line))
  else takeParagraphLine(scan, mode.kind, line)
}

function beginBlock(scan: BlockScan, line: string, kind: LineKind): void {
  switch (kind.kind) {
    case 'blank':
      return
    case 'fence':
      scan.mode = { kind: 'code', fence: kind.fence, language: kind.language, begun: false, before: [] }
      return
    case 'item':
      beginItem(scan, line, { item: kind.item, ordinal: kind.item.number, gap: scan.started })
      return
    case 'heading':
    case 'rule':
      keep(scan, line, { kind: 'paragraph' })
      endBlock(scan)
      return
    case 'text':
      keep(scan, line, { kind: 'paragraph' })
      return
    default:
      keep(scan, line, { kind: kind.kind })
  }
}

function takeParagraphLine(scan: BlockScan, mode: 'paragraph' | 'quote', line: string): void {
  if (mode === 'paragraph' && isUnderline(line)) {
    keep(scan, line, scan.mode)
    endBlock(scan)
    return
  }
  const kind = lineKind(line)
  if (continuesParagraph(mode, kind)) keep(scan, line, scan.mode)
  else {
    endBlock(scan)
    beginBlock(scan, line, kind)
  }
}

/** Returns true if the line continues the paragraph: only a non-empty list starting at one interrupts it. */
function continuesParagraph(mode: 'paragraph' | 'quote', kind: LineKind): boolean {
  if (kind.kind === 'item') return mode === 'paragraph' && (kind.item.empty || (kind.item.number ?? 1) !== 1)
  return kind.kind === 'text' || kind.kind === 'indented' || (kind.kind === 'quote' && mode === 'quote')
}

function takeIndentedLine(scan: BlockScan, line: string): void {
  const kind = lineKind(line)
  if (kind.kind === 'indented' || kind.kind === 'blank') keep(scan, line, scan.mode)
  else {
    endBlock(scan)
    beginBlock(scan, line, kind)
  }
}

function takeListLine(scan: BlockScan, mode: ListMode, line: string): void {
  const kind = lineKind(line)
  if (kind.kind === 'blank') {
    keep(scan, line, { ...mode, afterBlank: true })
  } else if (indentOf(line) >= mode.item.content) {
    const lazy = indentOf(line) < mode.item.content + 4 && isLazy(line.trimStart())
    keep(scan, line, { ...mode, afterBlank: false, lazy })
  } else if (kind.kind === 'item' && kind.item.mark === mode.item.mark) {
    endBlock(scan)
    const ordinal = mode.ordinal === null ? null : mode.ordinal + 1
    beginItem(scan, line, { item: kind.item, ordinal, gap: mode.afterBlank })
  } else if ((kind.kind === 'text' || kind.kind === 'indented') && !mode.afterBlank && mode.lazy) {
    keep(scan, line, mode)
  } else {
    endBlock(scan)
    beginBlock(scan, line, kind)
  }
}

/** Returns true if unindented text may continue this item content. Same rule as the lexer's, so settled text agrees. */
function isLazy(content: string): boolean {
  const { kind } = lineKind(content)
  return kind !== 'fence' && kind !== 'heading' && kind !== 'rule'
}

function beginItem(scan: BlockScan, line: string, begun: Pick<ListMode, 'item' | 'ordinal' | 'gap'>): void {
  const lazy = isLazy(line.trimStart().slice(begun.item.content - begun.item.indent))
  keep(scan, line, { kind: 'list', ...begun, afterBlank: false, lazy })
}

function takeCodeLine(scan: BlockScan, mode: CodeMode, line: string): void {
  if (!closesFence(line, mode.fence)) {
    scan.code.push(dedented(line, mode.fence.indent))
    return
  }
  endBlock(scan)
}

function keep(scan: BlockScan, line: string, mode: Mode): void {
  scan.block += `${line}\n`
  scan.mode = mode
}

function endBlock(scan: BlockScan): void {
  const { mode, block } = scan
  if (mode.kind === 'code') {
    if (scan.code.length > 0 || (!mode.begun && mode.language !== '')) pushCode(scan, mode)
  } else if (block !== '') {
    const list = mode.kind === 'list' ? mode : null
    const ordinal = list === null || list.ordinal === null ? {} : { ordinal: list.ordinal }
    push(scan, { kind: 'blocks', gap: list?.gap ?? scan.started, text: block, ...ordinal })
  }
  scan.mode = idle
  scan.block = ''
}

/** Settles the lines of an open fence, which are final as they arrive. */
function flushCode(scan: BlockScan): void {
  if (scan.mode.kind === 'code' && scan.code.length > 0) pushCode(scan, scan.mode)
}

function pushCode(scan: BlockScan, mode: CodeMode): void {
  const begins = !mode.begun
  const { language, before } = mode
  push(scan, { kind: 'code', gap: begins && scan.started, begins, language, before, lines: scan.code })
  scan.mode = { ...mode, begun: true, before: [...before, ...scan.code].slice(-keptLines) }
  scan.code = []
}

function push(scan: BlockScan, piece: Piece): void {
  scan.pieces.push(piece)
  scan.started = true
}
