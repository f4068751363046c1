import { describe, expect, it } from 'vitest'
import { describeNearest, findLines, foldPunctuation, nearestStart } from '../../../src/patch/place/find-lines.ts'

describe('findLines', () => {
  it('finds every match', () => {
    expect(findLines({ lines: ['a', 'b', 'a', 'b', 'a'], wanted: ['a', 'b'], from: 0 })).toEqual([0, 2])
  })

  it('leaves out lenient matches where there is an exact one', () => {
    expect(findLines({ lines: ['a ', 'b', 'a', 'b'], wanted: ['a', 'b'], from: 0 })).toEqual([2])
  })

  it('finds lines that differ in trailing blanks, then in indentation, then in typography', () => {
    expect(findLines({ lines: ['x', 'a  '], wanted: ['a'], from: 0 })).toEqual([1])
    expect(findLines({ lines: ['x', '\ta'], wanted: ['  a'], from: 0 })).toEqual([1])
    expect(findLines({ lines: ['x', '“a” – ‘b’\u00a0c'], wanted: ['"a" - \'b\' c'], from: 0 })).toEqual([1])
  })

  it('starts at the given index', () => {
    expect(findLines({ lines: ['a', 'b', 'a'], wanted: ['a'], from: 1 })).toEqual([2])
    expect(findLines({ lines: ['a', 'b'], wanted: ['a'], from: 1 })).toEqual([])
  })

  it('finds nothing in fewer lines than wanted', () => {
    expect(findLines({ lines: ['a'], wanted: ['a', 'a'], from: 0 })).toEqual([])
  })
})

describe('foldPunctuation', () => {
  it('replaces every dash, quote and blank of the list', () => {
    const dashes = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212'
    const quotes = '\u2018\u2019\u201a\u201b'
    const doubleQuotes = '\u201c\u201d\u201e\u201f'
    const blanks = '\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'
    expect(foldPunctuation(dashes + quotes + doubleQuotes + blanks)).toBe(
      '-'.repeat(7) + "'".repeat(4) + '"'.repeat(4) + ' '.repeat(13),
    )
  })
})

describe('nearestStart', () => {
  it('aligns lines that are equal except for blanks', () => {
    expect(nearestStart(['a', 'x', 'const one = 1', '  const two = 2', 'y'], ['wrong', 'const two = 2'])).toBe(2)
  })

  it('falls back to similarity with the longest line', () => {
    expect(nearestStart(['import a', 'export function total(items) {', '}'], ['export function totals(item) {'])).toBe(
      1,
    )
  })

  it('stays within the file', () => {
    expect(nearestStart(['const two = 2'], ['a', 'b', 'const two = 2'])).toBe(0)
  })

  it('finds nothing when no line is similar', () => {
    expect(nearestStart(['aaaa', 'bbbb'], ['zzzz'])).toBeNull()
  })
})

describe('describeNearest', () => {
  it('clips long blocks and long lines', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index} ${'x'.repeat(400)}`)
    const text = describeNearest(lines, lines)
    expect(text.split('\n').length).toBe(14)
    expect(text.length).toBeLessThan(12 * 180)
  })

  it('reports an empty file', () => {
    expect(describeNearest([], ['x'])).toContain('empty')
  })
})
