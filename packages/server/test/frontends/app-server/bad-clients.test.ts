import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { appClient } from './app-client.ts'
import { opened, shell, text, turn } from './threads.ts'

const asksForCommand = ({ method }: Readonly<Record<string, unknown>>) =>
  method === 'item/commandExecution/requestApproval'

describe('a client of an app-server', () => {
  it('that answers a question twice is heard once, and answers to nothing are nothing', async () => {
    await using place = testPlace()
    const model = scriptedModel(shell('echo x >> made'), { text: 'Done.' }, { text: 'Still here.' })
    const { client, threadId } = await opened(place, { model }, { approvalPolicy: 'untrusted' })
    await using _ = client
    client.answerWith(({ id }) => {
      client.send(JSON.stringify({ id: 'no-such-request', result: { decision: 'accept' } }))
      client.send(JSON.stringify({ id, result: { decision: 'accept' } }))
      return { decision: 'decline' }
    })
    expect(await turn(client, threadId, 'make it')).toMatchObject({ status: 'completed' })
    expect(place.read('made')).toBe('x\n')
    expect(await turn(client, threadId, 'again')).toMatchObject({ status: 'completed' })
  })

  it('that leaves without an answer leaves the question to the next one', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel(shell('touch made'), { text: 'Done.' }) })
    const first = appClient(server)
    await first.initialize()
    const { thread } = await first.result('thread/start', { cwd: place.cwd, approvalPolicy: 'untrusted' })
    const threadId = String(thread.id)
    first.answerWith(null)
    await first.result('turn/start', { threadId, input: text('make it') })
    await first.until(asksForCommand)
    await first[Symbol.asyncDispose]()
    expect(existsSync(join(place.cwd, 'made'))).toBe(false)
    await using client = appClient(server)
    await client.initialize()
    await client.result('thread/resume', { threadId })
    await client.until(asksForCommand)
    const ended = await client.until(({ method }) => method === 'turn/completed')
    expect(ended).toMatchObject({ params: { turn: { status: 'completed' } } })
    expect(existsSync(join(place.cwd, 'made'))).toBe(true)
  })

  it('gets an answer to each of 1,000 requests in one write, and to parameters that are none', async () => {
    await using place = testPlace()
    await using client = appClient(place.start())
    await client.initialize()
    const answers = await Promise.all(Array.from({ length: 1000 }, () => client.ask('thread/list', { limit: 1 })))
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1000)
    for (const params of [[], 'x', 5, null])
      expect((await client.ask('thread/list', params))['error']).toMatchObject({
        code: -32600,
        message: expect.stringMatching(/^Invalid request: params: /),
      })
  })

  it('that does not read gets the ends of items and none of the text on its way', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel({ text: 'Hello.' }) })
    let unsentBytes = 0
    await using client = appClient(server, {
      transport: (transport) => ({
        incoming: transport.incoming,
        send: (line) => transport.send(line),
        get bufferedBytes() {
          return unsentBytes
        },
        drained: () => transport.drained(),
        close: () => transport.close(),
        closed: transport.closed,
        [Symbol.asyncDispose]: () => transport.close(),
      }),
    })
    await client.initialize()
    const { thread } = await client.result('thread/start', { cwd: place.cwd })
    unsentBytes = 5 * 1024 * 1024
    expect(await turn(client, thread.id, 'hi')).toMatchObject({ items: [{ text: 'Hello.' }] })
    expect(client.story()).not.toContain('item/agentMessage/delta')
  })
})
