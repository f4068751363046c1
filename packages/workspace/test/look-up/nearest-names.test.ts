import { describe, expect, it } from 'vitest'
import { likeness, nearestNames } from '../../src/look-up/nearest-names.ts'

describe('nearestNames', () => {
  it('returns the most similar names first, at most five', () => {
    expect(nearestNames('parser.ts', ['lexer.ts', 'parser.test.ts', 'README', 'Parser.ts'])).toEqual([
      ...['Parser.ts', 'parser.test.ts', 'lexer.ts'],
    ])
    expect(nearestNames('a1', ['a11', 'a12', 'a13', 'a14', 'a15', 'a16']).length).toBe(5)
  })

  it('returns nothing when no name is similar', () => {
    expect(nearestNames('parser.ts', ['Makefile', 'go.mod'])).toEqual([])
  })
})

describe('likeness', () => {
  it('is 1 for texts that differ only in blanks and case, 0 for texts without common pairs', () => {
    expect(likeness('Foo Bar', 'foobar')).toBe(1)
    expect(likeness('abc', 'xyz')).toBe(0)
    expect(likeness('a', 'A')).toBe(1)
    expect(likeness('scr', 'src')).toBe(1)
    expect(likeness('', '')).toBe(1)
  })
})
