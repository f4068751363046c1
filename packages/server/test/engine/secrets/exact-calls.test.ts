import { statSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { secretCorpus } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { calling, mcpPlace } from '../../tools/mcp/support/mcp-place.ts'
import { testPlace } from '../support/test-server.ts'

const key = secretCorpus('calls').find(({ name }) => name === 'npm')?.secret ?? ''
const write = { name: 'shell', args: { command: `printf %s ${key} > made.txt` } }

describe('a call with a secret in it', () => {
  it('is shown and stored with a mark, and runs as the model wrote it', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [write] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    const approval = await watched.approval()
    expect(approval.command?.at(-1)).toMatch(/^printf %s \[secret:npm:[0-9a-f]{8}\] > made.txt$/)
    expect(approval.decisions).not.toContain('approvedAlways')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('made.txt')).toBe(key)
    expect(watched.items()[1]).toMatchObject({ status: 'completed', restorable: false })
    expect(JSON.stringify(watched.events)).not.toContain(key)
  })

  it('is withdrawn by a restart, with the reason for the model', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [write] }, { text: 'ok' })
    const { server, watched } = await place.talk({ model })
    const { conversationId } = watched
    await watched.send('go')
    const approval = await watched.approval()
    await server.close()
    const client = await place.start({ model }).connect()
    const resumed = await client.request('conversation/resume', { conversationId })
    expect(resumed).toMatchObject({
      activity: 'idle',
      recovered: expect.stringContaining('1 call with a secret in it'),
    })
    const again = await client.watch(conversationId)
    expect(again.items()[1]).toMatchObject({ status: 'interrupted', failure: { code: 'secretNotKept' } })
    expect(place.logLines(conversationId).join('\n')).toContain(
      `"approvalId":"${approval.id}","decision":"withdrawn","note":"secretNotKept"`,
    )
    await again.send('and now?')
    await again.turnEnded()
    expect(model.requests.at(-1)?.entries).toContainEqual(
      expect.objectContaining({ kind: 'result', text: expect.stringContaining('there was a secret in it') }),
    )
    expect(() => place.read('made.txt')).toThrow()
  })

  it('leaves another waiting call unchanged', async () => {
    await using place = testPlace()
    const other = { name: 'shell', args: { command: 'touch other.txt' } }
    const model = scriptedModel({ calls: [other, write] }, { text: 'ok' })
    const { server, watched } = await place.talk({ model })
    await watched.send('go')
    await watched.approval()
    await server.close()
    const client = await place.start({ model }).connect()
    const { conversationId } = watched
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({ activity: 'parked' })
    const again = await client.watch(conversationId)
    await again.decide('approved')
    await again.turnEnded()
    expect(place.read('other.txt')).toBe('')
    expect(again.items().map(({ status }) => status)).toContain('interrupted')
  })
})

it('only the asking MCP server gets the answer to a secret field', async () => {
  await using place = mcpPlace()
  place.configure('ugly', 'plain')
  const requestedSchema = { type: 'object', properties: { db_password: { type: 'string' }, name: { type: 'string' } } }
  const model = scriptedModel(calling('ask', { requestedSchema }), { text: 'ok' })
  const { watched, client } = await place.talkTo(model, { sandbox: 'danger-full-access' })
  await watched.send('go')
  const { id: approvalId } = await watched.approval()
  const answers = { db_password: 'sesame', name: 'ann' }
  const { conversationId } = watched
  await client.request('approval/decide', { conversationId, approvalId, decision: 'approved', answers })
  await watched.turnEnded()
  const decided = watched.events.find(({ event }) => event.type === 'approval.decided')?.event
  expect(decided).toMatchObject({
    answers: { db_password: expect.stringMatching(/^\[secret:db_password:\w{8}\]$/), name: 'ann' },
  })
  expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: expect.stringContaining('sesame') })
})

it('one notice says that a secret in a message was replaced', async () => {
  await using place = testPlace()
  const { watched } = await place.talk({ model: scriptedModel({ text: 'a' }, { text: 'b' }) })
  for (const text of [`use ${key}`, `again ${key}`]) {
    await watched.send(text)
    await watched.turnEnded()
  }
  const items = watched.items()
  expect(items.filter((item) => item.type === 'notice' && item.code === 'secretInMessage')).toHaveLength(1)
  const [first, second] = items.filter(({ type }) => type === 'userMessage').map(({ text }) => text.split(' ')[1])
  expect(first).toMatch(/^\[secret:npm:/)
  expect(second).toBe(first)
  const home = join(place.root, '.parley')
  expect(statSync(join(home, 'redaction.key'))).toMatchObject({ size: 32, mode: 0o100600 })
})

it('commands get a variable with a secret value only when the configuration includes it', async () => {
  await using place = testPlace()
  const command =
    'echo "$EDITOR:$XDG_EXTRA:$LC_ALL:$OPENAI_API_KEY:$NODE_OPTIONS:$SSH_AUTH_SOCK:$LD_PRELOAD:$HTTPS_PROXY" | wc -c; env | wc -l'
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command } }] }, { text: 'ok' })
  const env = {
    PATH: process.env['PATH'],
    EDITOR: key,
    XDG_EXTRA: 'Kept-for-nobody-99',
    LC_ALL: 'C',
    OPENAI_API_KEY: 'Kept-for-nobody-99',
    NODE_OPTIONS: '--require=./x.js',
    SSH_AUTH_SOCK: '/run/agent.sock',
    LD_PRELOAD: '',
    HTTPS_PROXY: 'http://u:p@proxy',
  }
  const { watched } = await place.talk({ model, env }, { sandbox: 'danger-full-access' })
  await watched.send('go')
  await watched.turnEnded()
  const item = watched.items().find(({ type }) => type === 'commandExecution')
  expect(item).toMatchObject({ output: { head: expect.stringMatching(/^ *9\n/) } })
})
