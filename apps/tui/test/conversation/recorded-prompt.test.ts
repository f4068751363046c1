import { expect, test } from 'vitest'
import { recordedPrompt } from '../../src/conversation/prompt-history.ts'

const item = { id: 'i', status: 'completed', title: 't', text: 't' } as const

test.each([
  [
    'a message',
    { ...item, type: 'userMessage', content: [{ type: 'text', text: 'use «secret:token:1»' }] },
    'use «secret:token:1»',
  ],
  ['a command of the user', { ...item, type: 'shellCommand', command: 'make', cwd: '/shop' }, '!make'],
  ['what the model says', { ...item, type: 'agentMessage' }, null],
] as const)('%s is known as the server has recorded it', (_what, recorded, expected) => {
  const event = { type: 'item.completed', item: structuredClone(recorded) } as Parameters<typeof recordedPrompt>[0]
  expect(recordedPrompt(event)).toBe(expected)
})
