import { parseDiff } from '@parley/presentation/text/diff'
import { type Highlight, type Line, lineText } from '@parley/presentation/text/span'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changedWords } from '../../../src/view/text/changed-words.ts'
import { renderDiff } from '../../../src/view/text/diff-rows.ts'

const diff = `--- a/query.sql
+++ b/query.sql
@@ -9,3 +9,3 @@ function name
 select 1
--- old comment
+++ new\tcomment
 \x1b[31mend
\\ No newline at end of file
@@ -100 +100,0 @@
-gone
`
const rowsOf = (text: string, columns: number) =>
  renderDiff(parseDiff(text), { columns }).map((row) => lineText(row).trimEnd())

describe('renderDiff', () => {
  test('shows lines with their numbers and markers, and a mark between hunks', () => {
    expect(rowsOf(diff, 40)).toEqual([
      '--- a/query.sql',
      '+++ b/query.sql',
      '  9 │  select 1',
      ' 10 │- -- old comment',
      ' 10 │+ ++ new  comment',
      ' 11 │  end',
      '\\ No newline at end of file',
      '  ⋯',
      '100 │- gone',
    ])
  })

  test('has the numbers of both sides from 100 columns on', () => {
    expect(rowsOf(diff, 100).slice(2, 6)).toEqual([
      '  9   9 │  select 1',
      ' 10     │- -- old comment',
      '     10 │+ ++ new  comment',
      ' 11  11 │  end',
    ])
  })

  test('wraps a long line behind its gutter and marks the rest', () => {
    const rows = renderDiff(parseDiff('@@ -0,0 +1 @@\n+0123456789'), { columns: 11 })
    expect(rows).toEqual([
      [
        { text: '1 ', tone: 'muted' },
        { text: '│', tone: 'muted' },
        { text: '+ ', tone: 'good', ground: 'added' },
        { text: '012345', ground: 'added' },
      ],
      [
        { text: '  ', tone: 'muted' },
        { text: '│', tone: 'muted' },
        { text: '↪ ', tone: 'good', ground: 'added' },
        { text: '6789', ground: 'added' },
        { text: '  ', ground: 'added' },
      ],
    ])
  })

  test('marks the words that changed in a line', () => {
    const [removed = [], added = []] = renderDiff(
      parseDiff('@@ -1 +1 @@\n-  cache.set(id, row)\n+  if (row) cache.set(id, row)\n'),
      { columns: 40 },
    )
    expect(wordsOn('removedWord', removed)).toEqual([])
    expect(wordsOn('addedWord', added)).toEqual(['if (row) '])
  })

  test('colours each side of a hunk as code of the language of its file', () => {
    const seen: [string, readonly string[]][] = []
    const highlight: Highlight = (lines, language) => {
      seen.push([language, lines])
      return lines.map((text): Line => [{ text, tone: 'code-string' }])
    }
    const [row = []] = renderDiff(parseDiff('@@ -1,2 +1,2 @@\n-a\n+b\n c\n'), { columns: 40, highlight }, 'src/x.TS')
    expect(seen).toEqual([
      ['ts', ['a', 'c']],
      ['ts', ['b', 'c']],
    ])
    expect(row).toContainEqual({ text: 'a', tone: 'code-string', ground: 'removed' })
  })
})

function wordsOn(ground: string, row: Line): readonly string[] {
  return row.filter((span) => span.ground === ground).map(({ text }) => text)
}

describe('changed words', () => {
  const parts = (text: string, ranges: readonly { start: number; end: number }[]) =>
    ranges.map(({ start, end }) => text.slice(start, end))

  test.each([
    ['return amount - percent', 'return amount - (amount * percent) / 100', [], ['(amount * ', ') / 100']],
    ['const a = 1', 'const b = 1', ['a'], ['b']],
    ['let one two three = f(x)', 'let four five three = f(x)', ['one two'], ['four five']],
  ])('of %j and %j', (removed, added, gone, come) => {
    const found = changedWords(removed, added)
    expect(parts(removed, found?.removed ?? [])).toEqual(gone)
    expect(parts(added, found?.added ?? [])).toEqual(come)
  })

  test.each([
    ['nothing in common', 'entirely other words here'],
    ['', 'x'],
    ['x'.repeat(2_000), `${'x'.repeat(2_000)}y`],
  ])('are not marked in lines with little in common, or very long ones', (removed, added) => {
    expect(changedWords(removed, added)).toBeNull()
  })

  test('leave the same text on both sides', () => {
    const words = fc.array(fc.constantFrom('a', 'bb', ' ', '(', ')', 'é', '漢'), { maxLength: 20 })
    fc.assert(
      fc.property(words, words, (left, right) => {
        const [removed, added] = [left.join(''), right.join('')]
        const found = changedWords(removed, added)
        if (found === null) return
        expect(without(removed, found.removed).replaceAll(' ', '')).toBe(
          without(added, found.added).replaceAll(' ', ''),
        )
      }),
    )
  })
})

function without(text: string, ranges: readonly { start: number; end: number }[]): string {
  return ranges.toReversed().reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
}
