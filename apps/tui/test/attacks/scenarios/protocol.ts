import { codeOf, connect } from '@parley/client'
import { methodParams } from '@parley/protocol/params'
import { expect } from 'vitest'
import { messageOf, openTalk, settingsOf } from '../world/converse.ts'
import { askedToEscape } from './approvals.ts'
import { nameOf, onlyOnce, type Scenarios } from './scenario.ts'

const paths = ['../../etc/passwd', '/etc/passwd', '\0', '__proto__', 'x'.repeat(100_000)]

/** Enough for every method that takes an id to get as far as the id. */
const others = {
  input: [{ type: 'text', text: 'x' }],
  content: [{ type: 'text', text: 'x' }],
  messageId: '01a20000-0000-7000-8000-000000000000',
  approvalId: 'a',
  decision: 'approved',
  after: { seq: 1 },
  file: 'x',
  name: 'x',
  settings: { sandbox: 'read-only' },
  command: 'touch pwned',
  itemId: 'x',
}

const named = Object.entries(methodParams).flatMap(([method, schema]) =>
  'conversationId' in schema.shape ? [{ method, keys: Object.keys(schema.shape) }] : [],
)

export const protocol: Scenarios = {
  async P701(told) {
    onlyOnce(told)
    const { world } = told
    expect(named.length).toBeGreaterThan(15)
    const { client } = world.server
    const request = client.request.bind(client) as (method: string, params: object) => Promise<unknown>
    for (const { method, keys } of named) {
      for (const conversationId of paths) {
        // The schema accepts only one way to name a conversation.
        const more = Object.entries(others).filter(([key]) => keys.includes(key))
        const answer = request(method, { conversationId, ...Object.fromEntries(more) })
        const code = await answer.then(() => 'done', codeOf)
        // To stop following what nobody follows is done at once.
        const allowed = method === 'conversation/unstream' ? ['done'] : ['conversationNotFound', 'invalidParams']
        expect(allowed, `${method} ${conversationId.slice(0, 20)}: ${code}`).toContain(code)
      }
    }
    expect((await client.request('server/diagnostics', {})).pid).toBe(world.server.pid)
  },

  async P702(told) {
    onlyOnce(told)
    const { world, mode } = told
    const name = nameOf(told)
    const { WS: cwd = '' } = world.places(name)
    const { client } = world.server
    const talk = openTalk(client, await client.create({ cwd, ...settingsOf[mode] }))
    const { conversationId } = talk
    await talk.send(messageOf(name))
    await talk.ended()
    for (const file of [...paths, '../../../../../config.toml', '../x.jsonl', '.']) {
      const code = await client.request('conversation/readFile', { conversationId, file }).then(() => 'done', codeOf)
      expect(code, file.slice(0, 20)).toMatch(/^(itemNotFound|invalidParams)$/)
    }
    await talk.close()
  },

  async P705(told) {
    onlyOnce(told)
    const { world } = told
    const { talk, pwned } = await askedToEscape(told)
    const { addresses } = await world.server.client.request('server/diagnostics', {})
    const path = addresses.find((address) => address.startsWith('/')) ?? ''
    await using watcher = await connect({ socket: path }, { name: 'watcher', canApprove: true, access: 'readOnly' })
    const { conversationId } = talk
    const { id: approvalId } = await talk.question()
    const refused = (answer: Promise<unknown>) => answer.then(() => 'done', codeOf)
    const decision = { conversationId, approvalId, decision: 'approved' } as const
    expect(await refused(watcher.request('approval/decide', decision))).toBe('notPermitted')
    const line = { conversationId, command: `touch ${pwned}` }
    expect(await refused(watcher.request('conversation/runShell', line))).toBe('notPermitted')
    const settings = { approvalPolicy: 'never' } as const
    expect(await refused(watcher.request('conversation/configure', { conversationId, settings }))).toBe('notPermitted')
    await talk.decide('denied')
    await talk.ended()
  },
}
