import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test, vi } from 'vitest'
import { type Connected, connectOfficial, makeWorld, type World } from './world.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 30_000 })

const steps = () => [
  { calls: [{ name: 'shell', arguments: { command: 'touch made.txt' } }] },
  { text: 'made', chunks: 2 },
  { text: 'again' },
]

const overStdio = ({ command: [program, ...args], env, cwd }: World) =>
  connectOfficial(new StdioClientTransport({ command: program, args, env, cwd }))

async function overHttp(world: World): Promise<Connected> {
  const { url, token } = await world.listen()
  return connectOfficial(
    new StreamableHTTPClientTransport(new URL(url), { authProvider: { token: async () => token } }),
  )
}

describe.each([
  ['stdio', overStdio],
  ['streamable HTTP', overHttp],
])('the official client over %s', (_name, connect) => {
  test('runs a call with an approval, follows its events and replies', async () => {
    await using world = await makeWorld(steps(), 'untrusted')
    await using connected = await connect(world)
    const { client, notified, questions } = connected
    expect((await client.listTools()).tools).toHaveLength(8)
    const result = await client.callTool({ name: 'codex', arguments: { prompt: 'touch it', cwd: world.cwd } })
    expect(result.structuredContent).toMatchObject({ content: 'made' })
    expect(existsSync(join(world.cwd, 'made.txt'))).toBe(true)
    expect(questions.map(({ message }) => message)).toEqual([
      `Allow parley to run \`/bin/bash -c 'touch made.txt'\` in \`${world.cwd}\`?`,
    ])
    const types = notified.map(({ params }) => JSON.stringify(params).match(/"msg":\{"type":"(\w+)"/)?.[1])
    expect(types.filter((type) => !type?.endsWith('_delta'))).toEqual([
      'session_configured',
      'task_started',
      'user_message',
      'token_count',
      'exec_approval_request',
      'exec_command_begin',
      'exec_command_end',
      'agent_message',
      'token_count',
      'task_complete',
    ])
    const { threadId } = result.structuredContent as { threadId: string }
    const reply = await client.callTool({ name: 'parley-reply', arguments: { prompt: 'again', threadId } })
    expect(reply.content).toEqual([{ type: 'text', text: 'again' }])
  })

  test('streams a whole conversation', async () => {
    await using world = await makeWorld([{ text: 'Done' }])
    await using connected = await connect(world)
    const { client, notified, seen } = connected
    const created = await client.callTool({ name: 'conversationCreate', arguments: { cwd: world.cwd } })
    const { conversation_id } = created.structuredContent as { conversation_id: string }
    await client.callTool({ name: 'conversationStream', arguments: { conversation_id } })
    const content = [{ type: 'text', text: 'Hello' }]
    await client.callTool({ name: 'conversationSendMessage', arguments: { conversation_id, content } })
    await seen('task_complete')
    expect(notified.filter(({ method }) => method !== 'agent_message_delta')).toMatchObject([
      { method: 'notifications/initial_state', params: { initial_state: { events: [] } } },
      { method: 'task_started' },
      { method: 'agent_message', params: { msg: { type: 'agent_message', message: 'Done' } } },
      { method: 'task_complete' },
    ])
  })

  test('cancels a call, which interrupts its turn', async () => {
    await using world = await makeWorld([{ text: 'never', hang: 'mid' }, { text: 'next' }])
    await using connected = await connect(world)
    const { client, notified, seen } = connected
    const controller = new AbortController()
    const call = client.callTool(
      { name: 'codex', arguments: { prompt: 'wait', cwd: world.cwd } },
      { signal: controller.signal },
    )
    const configured = await seen('codex/event')
    const { threadId } = (configured.params as { _meta: { threadId: string } })._meta
    await (await world.model.nextRequest()).text
    controller.abort('enough')
    await expect(call).rejects.toThrow('enough')
    const reply = await client.callTool({ name: 'codex-reply', arguments: { prompt: 'go on', threadId } })
    expect(reply.content).toEqual([{ type: 'text', text: 'next' }])
    expect(notified.some(({ params }) => JSON.stringify(params).includes('"turn_aborted"'))).toBe(true)
  })
})
