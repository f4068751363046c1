/**
 * A stretch of a message that can be rendered by itself: rendering the pieces one after the other is rendering the
 * message. `gap`: a blank row goes before it.
 */
export type Piece = BlocksPiece | CodePiece

export interface BlocksPiece {
  readonly kind: 'blocks'
  readonly gap: boolean
  readonly text: string
  /** The number of the list item that the text begins with, if it goes on an ordered list. */
  readonly ordinal?: number
}

/** Lines of a fenced block, without the fence. A long block comes in several pieces. */
export interface CodePiece {
  readonly kind: 'code'
  readonly gap: boolean
  readonly begins: boolean
  readonly language: string
  readonly lines: readonly string[]
}
