import type { ShapeMatch } from './shape.ts'

export const blockPrefix = '-----BEGIN '

/** Length limit of a block; no key is longer. */
const maxLength = 64 * 1024
/** Length limit of a gap between two lines of the block: line ends in any form, numbers, quotes, headers. */
const maxGap = 200
/** Least length of a line of base64; shorter runs are words. */
const leastRun = 32
const maxHeader = 80

const header = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
/** Bounded: a text of nothing but these characters would be read to its end at each BEGIN. */
const headerChars = new RegExp(`[A-Z0-9 -]{0,${maxHeader}}`, 'y')
const next = /-----BEGIN|-----END [A-Z0-9 ]{0,60}-----|\[secret:|[A-Za-z0-9+/=]{32,}/g

/** Matches a private key from BEGIN to END, however its lines are joined; a block that is cut, to its last line. */
export function matchKeyBlock(text: string, from: number, whole: boolean): ShapeMatch {
  header.lastIndex = from
  const opening = header.exec(text)
  if (opening === null) return isUnfinished(text, from, whole) ? 'more' : 'no'
  const body = from + opening[0].length
  const block = { text: text.slice(0, from + maxLength), limit: from + maxLength, whole }
  let end = body
  for (;;) {
    const piece = nextPiece(block, end)
    if (piece === 'more') return 'more'
    if (piece.kind === 'line') end = piece.end
    else if (end === body) return 'no'
    else return { start: from, end: piece.kind === 'footer' ? piece.end : end }
  }
}

interface BoundedText {
  /** Text up to the length limit of a block. */
  readonly text: string
  readonly limit: number
  readonly whole: boolean
}

type Piece = { readonly kind: 'line' | 'footer'; readonly end: number } | { readonly kind: 'other' }

function nextPiece({ text, limit, whole }: BoundedText, from: number): Piece | 'more' {
  const isAll = whole || text.length === limit
  const reach = Math.min(from + maxGap, limit)
  next.lastIndex = from
  const found = next.exec(text)
  if (found === null || found.index > reach)
    return isAll || text.length >= reach + leastRun + maxHeader ? { kind: 'other' } : 'more'
  const end = found.index + found[0].length
  if (found[0].startsWith('[') || found[0] === '-----BEGIN') return { kind: 'other' }
  if (found[0].startsWith('-')) return { kind: 'footer', end }
  // More text may continue this line, and the block.
  return end === text.length && !isAll ? 'more' : { kind: 'line', end }
}

function isUnfinished(text: string, from: number, whole: boolean): boolean {
  headerChars.lastIndex = from
  const length = headerChars.exec(text)?.[0].length ?? 0
  return !whole && from + length === text.length && length < maxHeader
}
