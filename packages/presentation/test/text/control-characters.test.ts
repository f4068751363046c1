import { codePoint } from '@parley/testkit/code-point'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanInput, showEffects, showHidden, shownName, stripEffects } from '../../src/text/control-characters.ts'

const anything = fc.oneof(
  fc.string({ unit: codePoint }),
  fc
    .array(
      fc.constantFrom(
        '\x1b',
        '[',
        ']',
        '0;t',
        '31m',
        '\x07',
        '\\',
        'P',
        '\x9b',
        '\x9d',
        '\x9c',
        '\r',
        '\n',
        '\t',
        'a',
        '\u202e',
        '\u200b',
        '\u2028',
        '\ud800',
        '\u{e0041}',
        '👩‍👩‍👧',
        '\x7f',
        '\x00',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
)

describe('showEffects', () => {
  test('shows by number what stripEffects removes, and keeps what forms emoji and scripts', () => {
    const text = 'a\x1b]0;x\x07b\x9b2J\r\u202ec\u200b\u2028\n👩‍🚀 ❤️ ที่'
    expect(showEffects(text)).toBe('a\\x1b]0;x\\x07b\\x9b2J\\r<U+202E>c<U+200B><U+2028>\n👩‍🚀 ❤️ ที่')
    expect(shownName('a\nb')).toBe('a b')
  })

  test('leaves nothing that acts on a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const shown = showEffects(text)
        expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/)
        expect(showEffects(shown)).toBe(shown)
      }),
    )
  })
})

describe('stripEffects', () => {
  test.each([
    ['plain text\nand lines', 'plain text\nand lines'],
    ['\x1b[1;31mred\x1b[0m', 'red'],
    ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x07', 'link'],
    ['\x1b]0;never ended\nnext', '0;never ended\nnext'],
    ['\x1bPq#0\x1b\\\x1b_Gx\x1b\\a', 'a'],
    ['\x9b31mred\x9d0;t\x9c', 'red'],
    ['\x1b(Ba\x1b7b\x1bcc', 'abc'],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['a\tb', 'a   b'],
    ['\u202egnp.exe\u202c', 'gnp.exe'],
    ['a\u200b\ufeff\u2060b', 'ab'],
    ['hidden\u{e0068}\u{e0069}', 'hidden'],
    ['a\u2028b', 'a b'],
    ['👩‍👩‍👧 ❤️ क्‍ष می‌خواهم', '👩‍👩‍👧 ❤️ क्‍ष می‌خواهم'],
    ['\ud83d', '\ufffd'],
  ])('%j becomes %j', (text, expected) => {
    expect(stripEffects(text)).toBe(expected)
  })

  test('tabs go to the next stop, counted in cells', () => {
    expect(stripEffects('漢\tb\n\tc', 8)).toBe('漢      b\n        c')
  })

  test('marks do not pile up over the lines around', () => {
    expect(stripEffects(`e${'\u0301'.repeat(100)}x`)).toBe(`e${'\u0301'.repeat(4)}x`)
    expect(stripEffects('ที่ שָׁ किं ế')).toBe('ที่ שָׁ किं ế')
  })

  test('no control but the line end comes out', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(stripEffects(text)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/)
      }),
      { numRuns: runsOf(1_000) },
    )
  })
})

describe('showHidden', () => {
  test.each([
    ['rm -rf ./x', 'rm -rf ./x'],
    ['echo \u202egnp', 'echo <U+202E>gnp'],
    ['a\x1b[2Kb', 'a\\x1b[2Kb'],
    ['a\rb', 'a\\rb'],
    ['rm\u00a0-rf\u3000x', 'rm<U+00A0>-rf<U+3000>x'],
    ['a\u200d\u{e0041}b', 'a<U+200D><U+E0041>b'],
    ['\ud800', '<U+D800>'],
    ['a\x9b2Kb\x00', 'a\\x9b2Kb\\x00'],
    ['a\tb\nc', 'a   b\nc'],
    ['grüße 漢字 👍', 'grüße 漢字 👍'],
    ['r\u0336m\u20dd \u2800', 'r<U+0336>m<U+20DD> <U+2800>'],
    [`e${'\u0301'.repeat(6)}`, `e${'\u0301'.repeat(4)}<U+0301><U+0301>`],
    ['ที่ שָׁ किं ế', 'ที่ שָׁ किं ế'],
  ])('%j is shown as %j', (text, expected) => {
    expect(showHidden(text)).toBe(expected)
  })

  test('no control but the line end comes out, and nothing is left out', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const shown = showHidden(text)
        expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]/)
        expect(Array.from(shown).length).toBeGreaterThanOrEqual(Array.from(text).length)
      }),
      { numRuns: runsOf(1_000) },
    )
  })
})

test('input keeps tabs and joiners and loses controls and overrides', () => {
  expect(cleanInput('a\tb\r\nc\u202e\x1b[Ad\u0085👩‍👩‍👧')).toBe('a\tb\ncd👩‍👩‍👧')
})
