import { describe, expect, test } from 'vitest'
import { truncateLine, truncateStart, truncateText } from '../../../src/view/text/truncate.ts'

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
