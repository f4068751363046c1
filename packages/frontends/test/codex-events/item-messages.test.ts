import type { ConversationEvent, Item } from '@parley/protocol'
import { expect, test } from 'vitest'
import { itemMessages } from '../../src/codex-events/item-messages.ts'
import { emptyMemory, withOpenItem } from '../../src/codex-events/memory.ts'

const shown = { id: 'i1', status: 'inProgress', title: '', text: '' } as const
const ids = { thread_id: 'c1', turn_id: 't1' }

const told = (event: ConversationEvent, open?: Item) =>
  itemMessages(
    open === undefined ? emptyMemory : withOpenItem(emptyMemory, { item: open, executionStarted: false }),
    { conversationId: 'c1', event },
    't1',
  )

const message: Item = { ...shown, type: 'agentMessage' }
const reasoning: Item = { ...shown, type: 'reasoning' }

test.each<[string, Item, object]>([
  [
    'a message of the user',
    { ...shown, type: 'userMessage', text: 'do it', content: [] },
    { type: 'UserMessage', content: [{ type: 'text', text: 'do it' }] },
  ],
  ['an answer', { ...message, text: 'hi' }, { type: 'AgentMessage', content: [{ type: 'Text', text: 'hi' }] }],
  ['reasoning', { ...reasoning, text: 'hm' }, { type: 'Reasoning', summary_text: ['hm'], raw_content: [] }],
  [
    'raw reasoning',
    { ...reasoning, raw: true, text: 'hm' },
    { type: 'Reasoning', summary_text: [], raw_content: ['hm'] },
  ],
])('%s starts and completes as an item', (_name, item, turnItem) => {
  const of = (type: string) => [{ type, ...ids, item: { id: 'i1', ...turnItem } }]
  expect(told({ type: 'item.started', turnId: 't1', item })).toEqual(of('item_started'))
  expect(told({ type: 'item.completed', turnId: 't1', item }, item)).toEqual(of('item_completed'))
  const whole = [...of('item_started'), ...of('item_completed')]
  expect(told({ type: 'item.completed', turnId: 't1', item })).toEqual(whole)
})

test.each<[string, Item, object]>([
  ['an answer', message, { type: 'agent_message_content_delta' }],
  ['reasoning', reasoning, { type: 'reasoning_content_delta', summary_index: 0 }],
  ['raw reasoning', { ...reasoning, raw: true }, { type: 'reasoning_raw_content_delta', content_index: 0 }],
])('a delta of %s has the ids of its item', (_name, item, delta) => {
  expect(told({ type: 'item.delta', itemId: 'i1', text: 'h' }, item)).toEqual([
    { ...delta, ...ids, item_id: 'i1', delta: 'h' },
  ])
})

test('calls, and deltas of items that are not open, are left to the older messages', () => {
  const command: Item = { ...shown, type: 'commandExecution', tool: 'shell', command: ['ls'], cwd: '/w' }
  expect(told({ type: 'item.started', turnId: 't1', item: command })).toEqual([])
  expect(told({ type: 'item.delta', itemId: 'i1', text: 'h' }, command)).toEqual([])
  expect(told({ type: 'item.delta', itemId: 'i1', text: 'h' })).toEqual([])
})
