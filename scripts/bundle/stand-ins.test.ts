import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LazySegmenter } from './lazy-segmenter.mjs'
import { root } from './places.mjs'
import stringWidth from './string-width.mjs'

const tui = createRequire(join(root, 'apps/tui/package.json'))
const original = await import(pathToFileURL(tui.resolve('string-width')).href)

const words = [
  'plain',
  '─│╭',
  'é',
  'e\u0301',
  '漢字',
  '한글',
  '👩‍👩‍👧',
  '🇩🇪',
  '\r\n',
  '\u200d',
  '\ufe0f',
  '\u001b[31m',
  '…',
]
const texts = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme' })))
  .map((parts) => parts.join(''))
const options = fc.constantFrom(undefined, { granularity: 'grapheme' } as const, { granularity: 'word' } as const)

test('the lazy segmenter gives the segments of the real one', () => {
  fc.assert(
    fc.property(texts, options, (text, how) => {
      const real = new Intl.Segmenter(undefined, how).segment(text)
      const lazy = new LazySegmenter(undefined, how).segment(text)
      const plain = (one: Intl.SegmentData | undefined) => one && { segment: one.segment, index: one.index }
      expect([...lazy].map(plain)).toEqual([...real].map(plain))
      for (const at of [-1, 0, 2, text.length]) expect(plain(lazy.containing(at))).toEqual(plain(real.containing(at)))
    }),
  )
})

test.each([
  '',
  'ascii only',
  '╭──╮',
  'é',
  '漢字 한글',
  '👩‍👩‍👧 🇩🇪',
  '\u001b[1;31mred\u001b[0m …',
  '\u001b]8;;x:y\u0007link\u001b]8;;\u0007',
])('the width of %j is what the replaced package says', (text) => {
  for (const ambiguousIsNarrow of [true, false]) {
    expect(stringWidth(text, { ambiguousIsNarrow })).toBe(original.default(text, { ambiguousIsNarrow }))
  }
})
