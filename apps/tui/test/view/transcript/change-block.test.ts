import { lineText } from '@parley/presentation/text/span'
import type { FileChangeEntry, ItemOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { changeBlock } from '../../../src/view/transcript/change-block.ts'

const entry = (path: string, fields: Partial<FileChangeEntry> = {}): FileChangeEntry => ({
  ...{ path, kind: 'update', additions: 1, deletions: 1, before: 'a', after: 'b' },
  diff: '--- a\n+++ b\n@@ -7,1 +7,1 @@\n-a b c\n+a b d\n',
  ...fields,
})

const patch = (
  changes: readonly FileChangeEntry[],
  fields: Partial<ItemOf<'fileChange'>> = {},
): ItemOf<'fileChange'> => ({
  ...{ id: 'p', type: 'fileChange', status: 'completed', title: 'Patch a', text: '', tool: 'apply_patch' },
  ...{ patchHash: 'sha256:1', changes: [...changes] },
  ...fields,
})

const added = (path: string, lines: number) =>
  entry(path, {
    ...{ kind: 'add', additions: lines, deletions: 0, before: null },
    diff: `@@ -0,0 +1,${lines} @@\n${Array.from({ length: lines }, (_, line) => `+${line}\n`).join('')}`,
  })

const rows = (item: ItemOf<'fileChange'>, columns = 80) =>
  changeBlock(item, { columns }).lines.map((line) => lineText(line).trimEnd())

describe('a patch', () => {
  test('of several files lists each with its lines, and those that are gone or renamed in one row', () => {
    const changes = [
      entry('src/a.ts'),
      added('src/b.ts', 2),
      entry('src/old.ts', { kind: 'delete', additions: 0, deletions: 9 }),
      entry('docs/notes.md', { movedTo: 'docs/cache.md' }),
    ]
    expect(rows(patch(changes))).toEqual([
      '• Edited  4 files  +4 −11',
      '  └ src/a.ts  +1 −1',
      '    7 │- a b c',
      '    7 │+ a b d',
      '    src/b.ts new, 2 lines',
      '    1 │+ 0',
      '    2 │+ 1',
      '    src/old.ts deleted · docs/notes.md → docs/cache.md  +1 −1',
    ])
  })

  test.each([
    ['that is new', added('a.ts', 2), ['• Created  a.ts  +2 −0', '    1 │+ 0', '    2 │+ 1']],
    ['that goes', entry('a.ts', { kind: 'delete', additions: 0 }), ['• Deleted  a.ts  +0 −1']],
    ['that is renamed', entry('a.ts', { movedTo: 'b.ts', additions: 0, deletions: 0 }), ['• Moved  a.ts → b.ts']],
  ])('of a single file %s says so', (_what, change, expected) => {
    expect(rows(patch([change]))).toEqual(expected)
  })

  test('shows the beginning of a long new file and how much is left', () => {
    expect(rows(patch([added('a.ts', 40)])).slice(-2)).toEqual(['    10 │+ 9', '    … 30 more lines (Ctrl+O)'])
  })

  test('that was denied or failed shows no change', () => {
    expect(rows(patch([entry('a.ts')], { status: 'denied' }))).toEqual(['• Not edited  a.ts'])
    const failure = { code: 'patchFailed', message: 'It does not fit.' }
    expect(rows(patch([entry('a.ts')], { status: 'failed', durationMs: 3, failure }))).toEqual([
      expect.stringMatching(/^• Not edited {2}a\.ts +✗ failed · 3 ms$/),
      '  It does not fit.',
    ])
  })

  test('with many files shows the names of the last ones only', () => {
    const shown = rows(patch(Array.from({ length: 40 }, (_, index) => entry(`f${index}.ts`))))
    expect(shown.length).toBeLessThan(75)
    expect(shown.join('\n')).toContain('f39.ts  +1 −1')
  })
})
