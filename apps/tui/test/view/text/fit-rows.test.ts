import { graphemes } from '@parley/presentation/text/graphemes'
import { type Line, lineText } from '@parley/presentation/text/span'
import { truncateLine, truncateStart, truncateText } from '@parley/presentation/text/truncate'
import { cellWidth, graphemeWidth } from '@parley/presentation/text/width'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { breakRows, wrapLine } from '../../../src/view/text/fit-rows.ts'

function wrapped(text: string, columns: number, options: { hang?: number; mode?: 'word' | 'anywhere' } = {}): string[] {
  return wrapLine([{ text }], { columns, ...options }).map(lineText)
}

describe('wrapLine', () => {
  test.each([
    ['the quick brown fox', 10, ['the quick', 'brown fox']],
    ['exactly ten', 11, ['exactly ten']],
    ['a supercalifragilistic word', 8, ['a', 'supercal', 'ifragili', 'stic', 'word']],
    ['漢字と仮名、混じり', 10, ['漢字と仮', '名、混じり']],
    ['ab漢字', 4, ['ab漢', '字']],
    ['  indented text goes on', 12, ['  indented', '  text goes', '  on']],
    ['many    blanks', 8, ['many', 'blanks']],
    ['👍👍👍', 4, ['👍👍', '👍']],
    ['漢', 1, ['漢']],
    ['', 5, ['']],
  ])('%j in %i cells', (text, columns, rows) => {
    expect(wrapped(text, columns)).toEqual(rows)
  })

  test('continuation rows hang as asked, at most half the room', () => {
    expect(wrapped('one two three', 6, { hang: 2 })).toEqual(['one', '  two', '  thre', '  e'])
    expect(wrapped('one two', 4, { hang: 10 })).toEqual(['one', '  tw', '  o'])
  })

  test('anywhere fills every row', () => {
    expect(wrapped('the quick brown', 6, { mode: 'anywhere' })).toEqual(['the qu', 'ick br', 'own'])
  })

  test('styles stay with their letters, also inside a word', () => {
    const line: Line = [{ text: 'one tw' }, { text: 'o thr', bold: true }, { text: 'ee' }]
    expect(wrapLine(line, { columns: 7 })).toEqual([
      [{ text: 'one tw' }, { text: 'o', bold: true }],
      [{ text: 'thr', bold: true }, { text: 'ee' }],
    ])
  })

  const text = fc
    .array(fc.constantFrom('a', 'bc', ' ', '  ', '漢', '、', '👩‍👩‍👧', 'e\u0301', '-', '\u200d', '🇩🇪'), {
      maxLength: 30,
    })
    .map((parts) => parts.join(''))

  test('rows fit, follow each other without gaps, and lose nothing but blanks', () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom('word', 'anywhere'),
        (value, columns, mode) => {
          const rows = breakRows(value, { columnsOf: () => columns, measure: graphemeWidth, mode })
          expect(rows.map(({ start, end }) => value.slice(start, end)).join('')).toBe(value)
          for (const { start, end } of rows) {
            const cells = Array.from(graphemes(value.slice(start, end).trimEnd()), (part) => cellWidth(part))
            expect(cells.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(columns)
          }
        },
      ),
      { numRuns: runsOf(1_000) },
    )
  })
})

describe('truncate', () => {
  test.each([
    ['short', 5, 'short'],
    ['longer text', 6, 'longe…'],
    ['漢字漢字', 6, '漢字…'],
    ['漢字漢字', 2, '…'],
    ['abc', 0, ''],
  ])('%j in %i cells is %j', (text, columns, expected) => {
    expect(truncateText(text, { columns })).toBe(expected)
  })

  test('a path keeps its end', () => {
    expect(truncateStart('/home/user/project', { columns: 9 })).toBe('…/project')
    expect(truncateStart('/srv', { columns: 9 })).toBe('/srv')
  })

  test('the ellipsis has the style of what it stands for', () => {
    expect(truncateLine([{ text: 'ab' }, { text: 'cdef', bold: true }], { columns: 4 })).toEqual([
      { text: 'ab' },
      { text: 'c', bold: true },
      { text: '…', bold: true },
    ])
  })

  test('where the ellipsis is wide it takes two cells', () => {
    expect(truncateText('longer', { columns: 5, ambiguous: 2 })).toBe('lon…')
  })
})
