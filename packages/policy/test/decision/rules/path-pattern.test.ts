import { describe, expect, it } from 'vitest'
import { absoluteFrom, matchesPathPattern, mayMatchBelow } from '../../../src/decision/rules/path-pattern.ts'

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
  ])('%s matches %s', (pattern, path) => {
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
  ])('%s does not match %s', (pattern, path) => {
    expect(matchesPathPattern(pattern, path, '/work')).toBe(false)
  })

  it('with many stars is matched in little time', () => {
    const name = 'a'.repeat(2_000)
    expect(matchesPathPattern(`${'**/'.repeat(200)}${'*a'.repeat(200)}b`, `/work/${name}`, '/work')).toBe(false)
  })
})

it('a path of many folders is compared with many `**` in one pass for each', () => {
  const pattern = `${'**/'.repeat(60)}b`
  expect(matchesPathPattern(pattern, `/work/${'a/'.repeat(20_000)}b`, '/work')).toBe(true)
  expect(matchesPathPattern(pattern, `/work/${'a/'.repeat(20_000)}c`, '/work')).toBe(false)
})

describe('below a folder', () => {
  it.each([
    ['deploy/**', '/work'],
    ['deploy/**', '/'],
    ['deploy/a/*.pem', '/work/deploy'],
    ['**/.env', '/work/src'],
  ])('%s may match paths in %s', (pattern, folder) => {
    expect(mayMatchBelow(pattern, folder, '/work')).toBe(true)
  })

  it.each([
    ['deploy/**', '/work/src'],
    ['deploy', '/work/deploy'],
    ['deploy/*.pem', '/work/deploy/deep'],
    ['/etc/**', '/work'],
  ])('%s cannot match paths in %s', (pattern, folder) => {
    expect(mayMatchBelow(pattern, folder, '/work')).toBe(false)
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
