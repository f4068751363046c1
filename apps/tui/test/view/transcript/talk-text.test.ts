import { answerNote } from '@parley/presentation/items/call-facts'
import { lineText } from '@parley/presentation/text/span'
import type { DecisionRecord, ItemOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { markdownOf } from '../../../src/view/pager/copied-text.ts'
import { toolBlock } from '../../../src/view/transcript/call-block.ts'

const room = { columns: 60, ambiguous: 1 } as const
const rule = { name: 'builtin:proposal' }

function plan(decision: Partial<DecisionRecord>, text = '1. Use an LRU map'): ItemOf<'toolCall'> {
  return {
    ...{ id: 'i', type: 'toolCall', kind: 'think', status: 'completed', tool: 'propose_plan', readOnly: true },
    ...{ title: 'Plan: Bound the cache', text, input: '{}', facts: { kind: 'proposal' } },
    decision: { verdict: 'ask', rule, reason: '', ...decision },
  }
}

const rowsOf = (item: ItemOf<'toolCall'>) => toolBlock(item, room).lines.map(lineText)

describe('a plan in the transcript', () => {
  test('is whole, with the mode that was chosen', () => {
    const taken = plan({ answer: 'approved' }, '1. Use an LRU map\n\n→ work, asked before every change')
    const rows = rowsOf(taken).join('\n')
    expect(rows).toMatch(/Plan: Bound the cache[\s\S]*1\. Use an LRU map[\s\S]*→ work, asked/)
    expect(markdownOf(taken)).toBe(
      '**Plan: Bound the cache**\n\n1. Use an LRU map\n\n→ work, asked before every change',
    )
  })

  test('that was sent back has the note once', () => {
    const sentBack = plan({ answer: 'denied', note: 'smaller steps' })
    expect(rowsOf(sentBack).filter((row) => row.includes('smaller steps'))).toEqual([
      '  → keep planning: smaller steps',
    ])
    expect(answerNote(sentBack)).toBeNull()
  })
})

test('a question that was not answered says so, and one that was has its answers as output', () => {
  const asked = { ...plan({ answer: 'denied' }), title: 'Ask: Name', facts: { kind: 'question' } }
  expect(rowsOf(asked).join('\n')).toContain('not answered')
  const answered = { ...asked, decision: { verdict: 'ask' as const, rule, reason: '', answer: 'approved' as const } }
  expect(rowsOf(answered).join('\n')).not.toContain('not answered')
})
