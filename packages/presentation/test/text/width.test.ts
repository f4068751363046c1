import { codePoint } from '@parley/testkit/code-point'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { cellWidth } from '../../src/text/width.ts'

/** The reference drops terminal sequences before it measures; ours is handed neutralised text and counts what is there. */
const reference = (text: string) => stringWidth(text, { countAnsiEscapeCodes: true })
const referenceWide = (text: string) => stringWidth(text, { countAnsiEscapeCodes: true, ambiguousIsNarrow: false })

// biome-ignore format: a table
const samples = [
  'a', ' ', '~', 'é', 'e\u0301', 'ß', 'Ω', 'я', '—', '…', '“', '€', '─', '│', '╭', '█', '→', '✓',
  '☃', '♥', '©', '漢', '字', 'カ', 'ｶ', 'ﾞ', '한', '\u1112\u1161\u11ab', '，', '（', 'Ａ', '\u3000', '😀',
  '❤️', '❤', '☺︎', '⌚︎', '⌚️', '👍🏽', '☝🏽', '🏽', '👨‍👩‍👧‍👦', '🏳️‍🌈', '👩🏿‍🚀', '🇩🇪', '🇩', '🇽🇽',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '#️⃣', '1⃣', '©️', '\u200b', '\u200d', '\u200c', '\ufeff', '\u00ad', '\u0301',
  '\ufe0f', '\u202e', '\u2066', '\u2028', '\t', '\n', '\u0000', '\u009b', 'நி', 'क्षि', 'ำ', 'กำ',
  'สวัสดี', 'שָׁ', 'ع', '\u{1f9d1}\u200d\u{1f4bb}', '\u{e0041}', '\ud83d', '\ude00', '𠀀', '𝒳', '🫠',
  '⚡', '✈', '✈️', '🈁', '\u115f', '\u115f\u1161', '\u115f\u0301', '\u115f\u0903',
]

/**
 * Differences on purpose. Prepended number signs (U+0600 and kin): the reference folds them into a wide neighbour;
 * terminals give them a cell, and so do we. Kirat Rai vowels: the reference joins runs that its segmenter leaves apart.
 * A skin tone that colours nothing, before a joiner: the reference drops it, we count the swatch that terminals draw.
 */
const different =
  /[\u0600-\u0605\u06dd\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{16d63}-\u{16d6a}]|(?<!\p{Emoji_Modifier_Base})\p{Emoji_Modifier}.*\u200d/u

describe('cellWidth', () => {
  test.each(samples.map((sample) => [sample]))('%j is as wide as in the reference', (sample) => {
    expect(cellWidth(sample)).toBe(reference(sample))
    expect(cellWidth(sample, 2)).toBe(referenceWide(sample))
  })

  test('any mix of the samples is as wide as in the reference', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...samples), { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        fc.pre(!different.test(text))
        expect(cellWidth(text)).toBe(reference(text))
        expect(cellWidth(text, 2)).toBe(referenceWide(text))
      }),
      { numRuns: runsOf(1500) },
    )
  })

  test('any text is as wide as in the reference, except for the listed differences', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: codePoint }),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0x33ff }).map((code) => String.fromCodePoint(code)) }),
    )
    fc.assert(
      fc.property(
        text.filter((value) => !different.test(value)),
        (value) => {
          expect(cellWidth(value)).toBe(reference(value))
        },
      ),
      { numRuns: runsOf(1500) },
    )
  })

  test('a number sign alone takes one cell', () => {
    expect(cellWidth('\u0600')).toBe(1)
    expect(cellWidth('\u0600漢')).toBe(3)
  })
})
