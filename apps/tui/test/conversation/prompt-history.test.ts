import { appendFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { secretCorpus, tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { EnteredPrompts, openPromptHistory, recordedPrompt } from '../../src/conversation/prompt-history.ts'

describe('the prompts of a folder', () => {
  test('come back in order, without those of other folders and without repeats', async () => {
    await using home = await tempDirectory()
    const history = openPromptHistory(home.path)
    for (const text of ['one', 'two\nlines', 'two\nlines']) history.add('/shop', text)
    history.add('/other', 'three')
    expect(openPromptHistory(home.path).read('/shop')).toEqual(['one', 'two\nlines'])
    expect(openPromptHistory(home.path).readAll()).toEqual(['one', 'two\nlines', 'three'])
    expect(statSync(join(home.path, 'prompts.jsonl')).mode & 0o777).toBe(0o600)
  })

  test('are none where there is no file, and whole beside a torn line', async () => {
    await using home = await tempDirectory()
    const history = openPromptHistory(home.path)
    expect(history.read('/shop')).toEqual([])
    history.add('/shop', 'one')
    appendFileSync(join(home.path, 'prompts.jsonl'), '{"folder":"/sh\n"text"\n')
    history.add('/shop', 'two')
    expect(history.read('/shop')).toEqual(['one', 'two'])
  })

  test.each(['{"folder":"/sh', '\0\0\0'])('are whole behind what a loss of power leaves: %j', async (left) => {
    await using home = await tempDirectory()
    const history = openPromptHistory(home.path)
    history.add('/shop', 'one')
    appendFileSync(join(home.path, 'prompts.jsonl'), left)
    history.add('/shop', 'two')
    expect(history.read('/shop')).toEqual(['one', 'two'])
  })

  test('leave out those with a key in them, or a secret of the environment', async () => {
    await using home = await tempDirectory()
    const key = secretCorpus().find(({ name }) => name === 'npm')?.secret
    const history = openPromptHistory(home.path, { SHOP_TOKEN: 'Own-value-77' })
    for (const text of ['one', `use ${key}`, 'and Own-value-77 too', 'two']) history.add('/shop', text)
    expect(history.read('/shop')).toEqual(['one', 'two'])
  })

  test('do not grow without end', async () => {
    await using home = await tempDirectory()
    const history = openPromptHistory(home.path)
    const long = 'x'.repeat(10_000)
    for (let index = 0; index < 120; index++) history.add('/shop', `${index} ${long}`)
    const newest = history.read('/shop').map((text) => text.split(' ')[0])
    expect(newest.at(-1)).toBe('119')
    expect(newest).toHaveLength(52)
    expect(statSync(join(home.path, 'prompts.jsonl')).size).toBeLessThan(600_000)
    expect(history.read('/shop')).toHaveLength(52)
  })

  test('are not pushed out by one that was pasted whole', async () => {
    await using home = await tempDirectory()
    const history = openPromptHistory(home.path)
    history.add('/shop', 'one')
    history.add('/shop', 'x'.repeat(3_000_000))
    expect(history.read('/shop')).toEqual(['one'])
  })
})

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

describe('a prompt entered here', () => {
  const kept = { cwd: '/shop', isKept: true }
  const queued = (text: string) => {
    const message = { messageId: 'm', content: [{ type: 'text', text }], by: { clientId: 'c', name: 'a' }, at: 0 }
    return { type: 'message.queued', message } as unknown as Parameters<EnteredPrompts['record']>[0]
  }
  const entered = (texts: readonly string[]) => {
    const added: string[] = []
    const prompts = new EnteredPrompts({
      read: () => [],
      readAll: () => [],
      add: (folder, text) => added.push(`${folder}: ${text}`),
    })
    for (const text of texts) prompts.enter({ kind: 'send', message: { messageId: 'm', text, when: 'steer' } })
    return { prompts, added }
  }

  test('is remembered once, when the server has recorded it word for word', () => {
    const { prompts, added } = entered(['one', 'my key is Own-value-77'])
    for (const text of ['one', 'one', 'my key is «secret:token:1»']) prompts.record(queued(text), kept)
    expect(added).toEqual(['/shop: one'])
  })

  test('is not remembered when another client sent it, or when the conversation is not kept', () => {
    const { prompts, added } = entered(['one'])
    prompts.record(queued('two'), kept)
    prompts.record(queued('one'), { cwd: '/shop', isKept: false })
    prompts.record(queued('one'), kept)
    expect(added).toEqual([])
  })
})
