import type { Line, Room } from '../span.ts'
import { blockRows, codeRows, languageRow } from './blocks.ts'
import { advance, emptyFlow, rest } from './flow.ts'
import { lex } from './lexer.ts'
import type { Piece } from './piece.ts'

/** Rows of one piece, none wider than the room. */
export function renderPiece(piece: Piece, room: Room): readonly Line[] {
  const rows =
    piece.kind === 'blocks'
      ? blockRows(lex(piece.text), room, piece.ordinal)
      : [...(piece.begins ? languageRow(piece.language) : []), ...codeRows(piece.lines, room)]
  return piece.gap ? [[], ...rows] : rows
}

export function renderPieces(pieces: readonly Piece[], room: Room): readonly Line[] {
  return pieces.flatMap((piece) => renderPiece(piece, room))
}

/** Rows of a whole message. */
export function renderMarkdown(text: string, room: Room): readonly Line[] {
  const { flow, settled } = advance(emptyFlow, text)
  return renderPieces([...settled, ...rest(flow)], room)
}
