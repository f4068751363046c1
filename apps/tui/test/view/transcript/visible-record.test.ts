import { lineText } from '@parley/presentation/text/span'
import { describe, expect, test } from 'vitest'
import { itemBlock } from '../../../src/view/transcript/item-block.ts'
import { ended, lookUp, patch } from '../scenes/conversation.ts'

const hides = `echo \u202egnp.exe${' '.repeat(200)}; rm x`
const rows = (item: Parameters<typeof itemBlock>[0]) => itemBlock(item, { columns: 120 }).lines.map(lineText)

describe('the record of a call shows what hides, as the question did', () => {
  test('in a command of one line', () => {
    expect(rows(ended(hides, '', 0))[0]).toMatch(/^• Ran {2}echo <U\+202E>gnp.exe ⟨200 spaces⟩ ; rm x +1\.2 s$/)
  })

  test('in one of several lines', () => {
    expect(rows(ended(`ls\n${hides}`, '', 0)).slice(0, 2)).toEqual([
      expect.stringMatching(/^• Ran {2}ls +1\.2 s$/),
      expect.stringContaining('<U+202E>gnp.exe ⟨200'),
    ])
  })

  test('in the title of a look-up', () => {
    expect(rows(lookUp('Read a\u200b.txt', 'l1'))[0]).toContain('Read a<U+200B>.txt')
  })

  test('in the lines and the name of a patch', () => {
    const item = patch('completed')
    if (item.type !== 'fileChange') throw new Error('no patch')
    const [change] = item.changes
    if (change === undefined) throw new Error('no change')
    const diff = '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\u202e\n'
    const text = rows({ ...item, changes: [{ ...change, path: 'a\u200b.txt', diff }] }).join('\n')
    expect(text).toContain('• Edited  a<U+200B>.txt')
    expect(text).toContain('+ b<U+202E>')
  })
})
