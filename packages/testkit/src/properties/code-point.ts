import fc from 'fast-check'

/**
 * Any character except halves of pairs. The second function of `map` lets fast-check try words such as `__proto__`. The
 * `unit: 'binary'` of fast-check takes 1 s of CPU in each worker for a table.
 */
export const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point), pointOf)

function pointOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (point === undefined || character !== String.fromCodePoint(point)) throw new TypeError('not one character')
  return point
}
