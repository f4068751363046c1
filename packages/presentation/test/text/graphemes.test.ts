import { codePoint } from '@parley/testkit/code-point'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundaryAfter, boundaryBefore, boundaryFrom, graphemes } from '../../src/text/graphemes.ts'

const segmenter = new Intl.Segmenter()

const parts = fc.constantFrom(
  ...[
    'a',
    '\n',
    '\r\n',
    ' ',
    '漢',
    '─',
    '👍',
    '🏽',
    '\u200d',
    '👩',
    '🇩',
    '\u0301',
    '\ufe0f',
    'क',
    '\u094d',
    'ष',
    '\u0600',
    'ᄀ',
    '각',
    'ᆨ',
  ],
)
const text = fc.oneof(
  fc.array(parts, { maxLength: 12 }).map((list) => list.join('')),
  fc.string({ unit: codePoint }),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x33ff }).map((code) => String.fromCodePoint(code)) }),
)

test('graphemes are those of the segmenter, on the fast path too', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect([...graphemes(value)]).toEqual(Array.from(segmenter.segment(value), ({ segment }) => segment))
    }),
    { numRuns: runsOf(2_000) },
  )
})

test('boundaries are those of the segmenter, in both directions', () => {
  fc.assert(
    fc.property(text, (value) => {
      const boundaries = [...Array.from(segmenter.segment(value), ({ index }) => index), value.length]
      for (const [index, boundary] of boundaries.entries()) {
        expect(boundaryAfter(value, boundary)).toBe(boundaries[index + 1] ?? value.length)
        expect(boundaryBefore(value, boundary)).toBe(boundaries[index - 1] ?? 0)
      }
      for (let offset = 0; offset <= value.length; offset++) {
        expect(boundaryFrom(value, offset)).toBe(boundaries.find((boundary) => boundary >= offset))
      }
    }),
    { numRuns: runsOf(1_000) },
  )
})
