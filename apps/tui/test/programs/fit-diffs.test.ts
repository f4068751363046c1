import { describe, expect, test } from 'vitest'
import { fitDiffs } from '../../src/programs/fit-diffs.ts'
import type { ChangedFile } from '../../src/programs/git/changed-file.ts'

const limitBytes = 200 * 1024

/** A new file of so many lines of 100 bytes each, with the end of its line. */
function file(path: string, lines: number): ChangedFile {
  const diff = `@@ -0,0 +1,${lines} @@\n${`+${'x'.repeat(98)}\n`.repeat(lines)}`
  const counts = { additions: lines, deletions: 0, before: null, after: null }
  return { path, kind: 'update', ...counts, diff, isWhole: true, shownBy: `git diff HEAD -- ${path}` }
}

const numbered = (count: number, lines: number) => Array.from({ length: count }, (_, at) => file(`f${at}.js`, lines))
const lineCount = (text: string) => text.split('\n').filter((line) => line.startsWith('+x')).length

describe('the diffs of a message', () => {
  test.each([
    { what: 'all, in their order', files: [file('a.js', 3), file('b.js', 2)], unseen: 0, named: 0 },
    { what: 'the beginning of one that is too large', files: [file('a.js', 5_000)], unseen: 1, named: 0 },
    {
      what: 'small ones whole beside a large one',
      files: [file('a.js', 5_000), ...numbered(50, 10)],
      unseen: 1,
      named: 0,
    },
    { what: 'the same share of several large ones', files: numbered(10, 1_000), unseen: 10, named: 0 },
    { what: 'pieces of as many as have room', files: numbered(500, 1_000), unseen: 500, named: 400 },
    { what: 'as many small ones as have room', files: numbered(1_000, 10), unseen: 804, named: 804 },
  ])('have $what', ({ files, unseen, named }) => {
    const fitted = fitDiffs(files, limitBytes)
    expect(Buffer.byteLength(fitted.text)).toBeLessThan(limitBytes * 1.2)
    expect(fitted.unseen).toHaveLength(unseen)
    const left = /^Left out here, so read them yourself \(as by `git diff HEAD -- \S+`\): (.*)$/m.exec(fitted.text)?.[1]
    expect(left === undefined ? 0 : left.split(', ').length).toBe(named)
    // Each line that differs is shown, counted in its file, or in a file that is named.
    const counted = [
      ...fitted.text.matchAll(/^… ([\d,]+) changed lines? more left out here: `git diff HEAD -- \S+` shows/gm),
    ]
    const cut = counted.reduce((sum, [, lines = '']) => sum + Number(lines.replace(',', '')), 0)
    const inNamed = (left ?? '').split(', ').reduce((sum, name) => {
      return sum + (files.find(({ path }) => path === name)?.additions ?? 0)
    }, 0)
    expect(lineCount(fitted.text) + cut + inNamed).toBe(files.reduce((sum, { additions }) => sum + additions, 0))
  })

  test('name a file that is not whole from the start', () => {
    const cut = { ...file('a.js', 3), isWhole: false }
    expect(fitDiffs([cut, file('b.js', 1)], limitBytes).unseen).toEqual([cut])
  })

  test('bound the names of files that are left out, and count the others', () => {
    const files = Array.from({ length: 5_000 }, (_, at) => file(`${'long/'.repeat(20)}${at}.js`, 10))
    const { text, unseen } = fitDiffs(files, limitBytes)
    const [, list = '', more = ''] = /read them yourself [^:]*: (.*) and ([\d,]+) files more, which/.exec(text) ?? []
    expect(list.split(', ').length + Number(more.replace(',', ''))).toBe(unseen.length)
    expect(Buffer.byteLength(text)).toBeLessThan(limitBytes * 1.2)
  })
})
