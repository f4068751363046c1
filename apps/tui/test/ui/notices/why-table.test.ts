import { expect, test } from 'vitest'
import { whyTable } from '../../../src/ui/notices/tables.ts'

test('why a call ran is a table in which nothing hides', () => {
  const rows = [{ about: 'call', text: `shell: a\x1b[2J\n\u202eb${' '.repeat(90)}c` }]
  const item = { id: 'i-1', tool: 'shell', title: 'a\x1b[2J', status: 'completed' }
  expect(whyTable({ conversationId: 'c', calls: 1, item, rows })).toEqual({
    kind: 'table',
    title: 'Why a\\x1b[2J',
    rows: [['call', 'shell: a\\x1b[2J ⏎ <U+202E>b ⟨90 spaces⟩ c']],
  })
})
