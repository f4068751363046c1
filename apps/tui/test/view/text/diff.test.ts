import { describe, expect, test } from 'vitest'
import { parseDiff, renderDiff } from '../../../src/view/text/diff.ts'
import { lineText } from '../../../src/view/text/span.ts'

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

describe('parseDiff', () => {
  test('the counts of the hunk decide what is a header', () => {
    expect(parseDiff(diff).map(({ kind }) => kind)).toEqual([
      ...['file', 'file', 'hunk', 'context', 'removed', 'added', 'context', 'note', 'hunk', 'removed'],
    ])
  })
})

describe('parseDiff on wrong counts', () => {
  test('a hunk that promises too much ends at the next header', () => {
    expect(parseDiff('@@ -1,9 +1,9 @@\n a\n@@ -20 +20 @@\n-b\n+c').map(({ kind }) => kind)).toEqual([
      ...['hunk', 'context', 'hunk', 'removed', 'added'],
    ])
  })
})

describe('renderDiff', () => {
  test('lines have their numbers, markers and tones', () => {
    expect(renderDiff(parseDiff(diff), { columns: 40 }).map(lineText)).toEqual([
      '--- a/query.sql',
      '+++ b/query.sql',
      '@@ -9,3 +9,3 @@ function name',
      '  9   select 1',
      ' 10 - -- old comment',
      ' 10 + ++ new  comment',
      ' 11   end',
      '\\ No newline at end of file',
      '@@ -100 +100,0 @@',
      '100 - gone',
    ])
  })

  test('a long line is wrapped behind its gutter', () => {
    const rows = renderDiff(parseDiff('@@ -0,0 +1 @@\n+0123456789'), { columns: 10 })
    expect(rows.slice(-2)).toEqual([
      [
        { text: '1 ', tone: 'muted' },
        { text: '+ ', tone: 'good' },
        { text: '012345', tone: 'good' },
      ],
      [
        { text: '  ', tone: 'muted' },
        { text: '+ ', tone: 'good' },
        { text: '6789', tone: 'good' },
      ],
    ])
  })
})
