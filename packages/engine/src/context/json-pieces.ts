import { piecesOf } from '@parley/text'

/** Characters of a text that are written at once. */
const pieceLength = 64 * 1024

/**
 * Yields the JSON of a value in pieces: that of `JSON.stringify` with the keys of objects in order, which does not depend
 * on how code spells them. A long text is never copied whole.
 */
export function* jsonPieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* textPieces(value)
  else if (Array.isArray(value)) yield* listPieces(value)
  else if (typeof value === 'object' && value !== null) yield* fieldPieces(value)
  else yield JSON.stringify(value) ?? 'null'
}

/** Copies an object with its keys in order. */
function inOrder(fields: object): object {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function* listPieces(values: readonly unknown[]): Generator<string, void, undefined> {
  yield '['
  for (const [index, value] of values.entries()) {
    if (index > 0) yield ','
    yield* jsonPieces(value)
  }
  yield ']'
}

function* fieldPieces(fields: object): Generator<string, void, undefined> {
  const present = Object.entries(inOrder(fields)).filter(([, value]) => value !== undefined)
  yield '{'
  for (const [index, [key, value]] of present.entries()) {
    yield `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`
    yield* jsonPieces(value)
  }
  yield '}'
}

function* textPieces(text: string): Generator<string, void, undefined> {
  if (text.length <= pieceLength) return yield JSON.stringify(text)
  yield '"'
  // Half of a character would be escaped.
  for (const piece of piecesOf(text, pieceLength)) yield JSON.stringify(piece).slice(1, -1)
  yield '"'
}
