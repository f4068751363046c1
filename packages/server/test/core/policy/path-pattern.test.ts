import { describe, expect, it } from 'vitest'
import { matchesPathPattern } from '../../../src/core/policy/path-pattern.ts'
import { absoluteFrom } from '../../../src/core/policy/path-text.ts'

describe('a path pattern', () => {
  it.each([
    ['src/**', '/work/src/a/b.ts'],
    ['src/', '/work/src/a/b.ts'],
    ['./src/*.ts', '/work/src/a.ts'],
    ['**/*.ts', '/work/a.ts'],
    ['**/test/**/*.ts', '/work/a/test/b/c/d.ts'],
    ['a?c', '/work/abc'],
    ['*a*b*', '/work/xaaybz'],
    ['/etc/*', '/etc/hosts'],
    ['.env*', '/work/.env.local'],
  ])('%s fits %s', (pattern, path) => {
    expect(matchesPathPattern(pattern, path, '/work')).toBe(true)
  })

  it.each([
    ['src/*', '/work/src/a/b.ts'],
    ['src/**', '/work-2/src/a'],
    ['src/**', '/src/a'],
    ['*.ts', '/work/src/a.ts'],
    ['a?c', '/work/ac'],
    ['**', '/etc/hosts'],
    ['src', '/work/src/a'],
  ])('%s does not fit %s', (pattern, path) => {
    expect(matchesPathPattern(pattern, path, '/work')).toBe(false)
  })

  it('of many stars ends', () => {
    const name = 'a'.repeat(2_000)
    expect(matchesPathPattern(`${'**/'.repeat(200)}${'*a'.repeat(200)}b`, `/work/${name}`, '/work')).toBe(false)
  })
})

describe('a path as text', () => {
  it.each([
    ['a/../../b', '/b'],
    ['/x//./y/', '/x/y'],
    ['', '/work'],
  ])('%j becomes %j', (path, absolute) => {
    expect(absoluteFrom('/work', path)).toBe(absolute)
  })
})
