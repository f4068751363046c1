import { describe, expect, test } from 'vitest'
import { parseDiff } from '../../src/text/diff.ts'

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
