import { describe, expect, it } from 'vitest'
import { describeNearest, nearestStart } from '../../src/patch/nearest-lines.ts'

describe('nearestStart', () => {
  it('aligns on lines that are equal up to blanks', () => {
    expect(nearestStart(['a', 'x', 'const one = 1', '  const two = 2', 'y'], ['wrong', 'const two = 2'])).toBe(2)
  })

  it('falls back on the likeness of the longest line', () => {
    expect(nearestStart(['import a', 'export function total(items) {', '}'], ['export function totals(item) {'])).toBe(
      1,
    )
  })

  it('stays within the file', () => {
    expect(nearestStart(['const two = 2'], ['a', 'b', 'const two = 2'])).toBe(0)
  })

  it('finds nothing where nothing is alike', () => {
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

  it('says that a file is empty', () => {
    expect(describeNearest([], ['x'])).toContain('empty')
  })
})
