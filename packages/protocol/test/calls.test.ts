import { readDiffs, sideOfDiff, toolOwner, typedCommand } from '@parley/protocol/calls'
import { describe, expect, it } from 'vitest'

const updated = '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n x\n-y\n+z\n w\n\\ No newline at end of file\n'
const shortened = '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-y\n\\ No newline at end of file\n+z\n'

describe('the sides of a diff', () => {
  it.each([
    [updated, 'x\ny\nw', 'x\nz\nw'],
    [shortened, 'y', 'z\n'],
    ['--- /dev/null\n+++ n\n@@ -0,0 +1,1 @@\n+--- x\n', '', '--- x\n'],
    ['--- a\n+++ a\n@@ -1,9 +1,9 @@\n-x\n… 16 more lines\n', 'x\n… 16 more lines\n', '… 16 more lines\n'],
  ])('of %j are its lines before and after', (diff, before, after) => {
    expect([sideOfDiff(diff, 'before'), sideOfDiff(diff, 'after')]).toEqual([before, after])
  })
})

it('joined diffs are split at their files, whatever their lines look like', () => {
  const removed = '--- old.sql\n+++ /dev/null\n@@ -1,2 +0,0 @@\n--- a comment\n-+++ odd\n'
  expect(readDiffs([removed, updated].join('\n')).map(({ path, kind }) => [path, kind])).toEqual([
    ['old.sql', 'delete'],
    ['a.txt', 'update'],
  ])
})

it.each([
  [{ tool: 'search' }, { server: 'parley', tool: 'search' }],
  [{ tool: 'mcp__web__fetch' }, { server: 'web', tool: 'fetch' }],
  [
    { tool: 'mcp__a_b__c', facts: { kind: 'mcp', server: 'a.b', name: 'c d' } },
    { server: 'a.b', tool: 'c d' },
  ],
])('the owner of %j is %j', (call, owner) => {
  expect(toolOwner(call)).toEqual(owner)
})

it.each([
  [['/bin/bash', '-c', 'ls | wc'], 'ls | wc'],
  [['bash', '-lc', 'ls'], 'ls'],
  [['ls', '-c', 'x y'], "ls -c 'x y'"],
])('%j is shown as %s', (argv, typed) => {
  expect(typedCommand(argv)).toBe(typed)
})
