import type { CompletedItem, ItemId } from '@parley/protocol'
import { expect, test } from 'vitest'
import { entriesOf } from '../../src/items/entries.ts'

test('look-ups that follow each other are one entry, and a call that sets the plan is a line', () => {
  const common = { status: 'completed', text: '1', readOnly: true, tool: 'read_file', input: '{}' } as const
  const read = (seq: number, title: string): CompletedItem => ({
    seq,
    at: 0,
    turnId: null,
    item: { ...common, type: 'toolCall', id: `i${seq}` as ItemId, title, facts: { kind: 'read' } },
  })
  const answer: CompletedItem = {
    seq: 3,
    at: 0,
    turnId: null,
    item: { type: 'agentMessage', id: 'i3' as ItemId, status: 'completed', title: '', text: 'So.' },
  }
  const plan = {
    ...read(5, 'Update the plan'),
    item: { ...read(5, '').item, tool: 'update_plan', facts: {}, text: '[x] a\n[>] b\n[ ] c' },
  }
  expect(entriesOf([read(1, 'Read a'), read(2, 'Read b'), answer, read(4, 'Read c'), plan as CompletedItem])).toEqual([
    { kind: 'lookUps', key: 'i1', seq: 1, words: ['a', 'b'] },
    { kind: 'item', completed: answer },
    { kind: 'lookUps', key: 'i4', seq: 4, words: ['c'] },
    { kind: 'plan', key: 'i5', seq: 5, steps: ['✓ a', '▸ b', '○ c'] },
  ])
})
