import { describe, expect, it } from 'vitest'
import { fitsGlob, readGlob } from '../../../src/look-up/globs/read-glob.ts'

function fits(glob: string, path: string): boolean {
  const read = readGlob(glob)
  if ('problem' in read) throw new Error(read.problem)
  return fitsGlob(read, path)
}

describe('a glob', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/a.ts', '.ts', 'a b.ts'], ['a.tsx', 'a.ts/b', 'A.TS']],
    ['*', ['a', 'src/a', '.env'], []],
    ['**', ['a', 'src/a/b'], []],
    ['**/*', ['a', 'src/a'], []],
    ['src/*', ['src/a.ts'], ['src/b/a.ts', 'a/src/b']],
    ['src/**', ['src/a', 'src/b/c'], ['a/src/b', 'srcs/a']],
    ['src', ['src', 'src/a/b', 'a/src/b'], ['srcs/a']],
    ['src/', ['src/a/b', 'a/src/b'], ['src']],
    ['./src/*.ts', ['src/a.ts'], ['a/src/a.ts']],
    ['/src/*.ts', ['src/a.ts'], ['a/src/a.ts']],
    ['/*.ts', ['a.ts'], ['src/a.ts']],
    ['**/test/**/*.ts', ['test/a.ts', 'a/test/b/c.ts'], ['tests/a.ts']],
    ['a/**/b', ['a/b', 'a/x/y/b', 'a/b/c'], ['b', 'a/bc']],
    ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.t', 'a.{ts,tsx}']],
    ['{src,lib/{a,b}}/*.js', ['src/x.js', 'lib/a/x.js', 'lib/b/x.js'], ['lib/x.js', 'lib/c/x.js']],
    ['[a-c]?.t[!sx]', ['b1.tt', 'c2.ta'], ['d1.tt', 'b1.ts', 'b.tt']],
    ['[]x].a', ['].a', 'x.a'], ['y.a']],
    ['\\*.a', ['*.a'], ['b.a']],
    ['pages/\\[id\\]/*.tsx', ['pages/[id]/a.tsx'], ['pages/i/a.tsx']],
    ['Makefile', ['Makefile', 'sub/Makefile'], ['makefile', 'Makefile.am']],
    ['ä*', ['äb', 'x/ä'], ['a']],
    ['a*b*c', ['abc', 'axbxc', 'abcbc'], ['acb', 'ab']],
  ])('%s fits as in ripgrep and git', (glob, fitting, others) => {
    expect(fitting.filter((path) => !fits(glob, path))).toEqual([])
    expect(others.filter((path) => fits(glob, path))).toEqual([])
  })

  it.each([
    ['[', "The glob [ is not valid: unclosed character class; missing ']'."],
    ['src/[a', "The glob src/[a is not valid: unclosed character class; missing ']'."],
    ['*.{ts', "The glob *.{ts is not valid: unclosed alternate group; missing '}'."],
    ['{a,b}'.repeat(10), `The glob ${'{a,b}'.repeat(10)} is not valid: it has too many alternatives.`],
  ])('%s is refused with a sentence', (glob, problem) => {
    expect(readGlob(glob)).toEqual({ problem })
  })

  it('with many wildcards takes no more time than its length multiplied by that of the path', () => {
    const path = 'a/'.repeat(500) + 'a'.repeat(4_000)
    expect(fits(`${'**/a*a*a*a/'.repeat(20)}${'*a'.repeat(50)}b`, path)).toBe(false)
  })
})
