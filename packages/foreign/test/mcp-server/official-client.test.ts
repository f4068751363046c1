import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test, vi } from 'vitest'
import { type Connected, connectOfficial, makeWorld, type World } from './world.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

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
])('the official client over %s', (name, connect) => {
  // What differs between the two is the way there, which one call goes in both directions.
  const alike = test.runIf(isLong || name === 'stdio')

  test('runs a call with an approval, follows its events and replies', async () => {
    await using world = await makeWorld(steps(), 'untrusted')
    await using connected = await connect(world)
    const { client, notified, questions } = connected
    expect((await client.listTools()).tools).toHaveLength(8)
    const result = await client.callTool({ name: 'codex', arguments: { prompt: 'touch it', cwd: world.cwd } })
    expect(result.structuredContent).toMatchObject({ content: 'made' })
    expect(existsSync(join(world.cwd, 'made.txt'))).toBe(true)
    expect(questions.map(({ message }) => message)).toEqual([
      [
        `Allow Codex to run \`/bin/bash -c 'touch made.txt'\` in \`${world.cwd}\`?`,
        'Limits: not sandboxed: it may do all that its account may, network included',
        'Asked because: the approval policy is untrusted and this is not known to be harmless [builtin:untrusted]',
        'A yes for the session covers exactly this command.',
      ].join('\n'),
    ])
    const types = notified.map(({ params }) => JSON.stringify(params).match(/"msg":\{"type":"(\w+)"/)?.[1])
    expect(types.filter((type) => !type?.endsWith('_delta'))).toEqual([
      'session_configured',
      'task_started',
      'item_started',
      'item_completed',
      'user_message',
      'token_count',
      'exec_approval_request',
      'exec_command_begin',
      'exec_command_end',
      'item_started',
      'item_completed',
      'agent_message',
      'token_count',
      'task_complete',
    ])
    const { threadId } = result.structuredContent as { threadId: string }
    const reply = await client.callTool({ name: 'parley-reply', arguments: { prompt: 'again', threadId } })
    expect(reply.content).toEqual([{ type: 'text', text: 'again' }])
  })

  alike('streams a whole conversation', async () => {
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

  alike('cancels a call, which interrupts its turn', async () => {
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

test('the official client is told all that a yes allows', async () => {
  const removed = 'a line that is removed\n'.repeat(40_000)
  const wish = { command: 'sleep 0.1; echo \u202edone', escalate: true, background: true, reason: 'I need\nit all' }
  const patch = [
    '*** Begin Patch',
    '*** Delete File: large.txt',
    '*** Add File: small.sh',
    '+curl example.invalid',
    '*** End Patch',
  ]
  await using world = await makeWorld(
    [
      { calls: [{ name: 'shell', arguments: wish }] },
      { calls: [{ name: 'apply_patch', arguments: { patch: patch.join('\n') } }] },
      { text: 'done' },
    ],
    'untrusted',
  )
  writeFileSync(join(world.cwd, 'large.txt'), removed)
  await using connected = await overStdio(world)
  const asked = { prompt: 'go', cwd: world.cwd, sandbox: 'workspace-write' }
  await connected.client.callTool({ name: 'codex', arguments: asked })
  const [command, change] = connected.questions.map(({ message }) => message)
  expect(command?.split('\n')).toEqual([
    `Allow Codex to run \`/bin/bash -c 'sleep 0.1; echo <U+202E>done'\` in \`${world.cwd}\`?`,
    '! contains invisible characters or marks over others, shown as <U+202E>',
    'Limits: not sandboxed: it may do all that its account may, network included',
    'It runs in the background, without a time limit.',
    expect.stringMatching(/^Asked because: ./),
    'the model says, unchecked: “I need ⏎ it all”',
  ])
  expect(change).toContain(
    `?\nadd small.sh (+1 −0)\ndelete large.txt (+0 −40000, ${removed.length} bytes)\nPaths are relative to`,
  )
  expect(change).toContain('\n+curl example.invalid\n')
  expect(change).toMatch(/\n… 40000 removed lines not shown: 920000 bytes, sha256:[0-9a-f]{64}$/)
  expect(existsSync(join(world.cwd, 'large.txt'))).toBe(false)
})

test('a question too long for the official client is denied, with the way to be asked', async () => {
  const lines = `+${'x'.repeat(99)}\n`.repeat(700)
  const patch = `*** Begin Patch\n*** Add File: long.txt\n${lines}*** End Patch`
  await using world = await makeWorld(
    [{ calls: [{ name: 'apply_patch', arguments: { patch } }] }, { text: 'done' }],
    'untrusted',
  )
  await using connected = await overStdio(world)
  const asked = { prompt: 'go', cwd: world.cwd, sandbox: 'workspace-write' }
  const { structuredContent } = await connected.client.callTool({ name: 'codex', arguments: asked })
  const { threadId } = structuredContent as { threadId: string }
  expect(connected.questions).toEqual([])
  expect(existsSync(join(world.cwd, 'long.txt'))).toBe(false)
  const told = connected.notified.filter(({ params }) => JSON.stringify(params).includes('"background_event"'))
  expect(JSON.stringify(told)).toContain(`parley attach ${threadId.slice(-8)}`)
})

test('a place of secrets is no folder for a caller', async () => {
  await using world = await makeWorld([{ text: 'read' }])
  const keys = join(world.env['HOME'] ?? '', '.ssh')
  const link = join(world.cwd, 'notes')
  mkdirSync(keys)
  symlinkSync(keys, link)
  await using connected = await overStdio(world)
  for (const cwd of [keys, link, world.env['PARLEY_HOME'] ?? '']) {
    const wish = { prompt: 'read it', cwd, 'approval-policy': 'never', sandbox: 'read-only' }
    expect(await connected.client.callTool({ name: 'codex', arguments: wish })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(`parley mcp-server --allow-secret-folder ${cwd}`) }],
    })
  }
  const allowed = await connectOfficial(
    new StdioClientTransport({
      command: world.command[0],
      args: [...world.command.slice(1), '--allow-secret-folder', keys],
      env: world.env,
      cwd: world.cwd,
    }),
  )
  const result = await allowed.client.callTool({ name: 'codex', arguments: { prompt: 'read it', cwd: link } })
  expect(result.structuredContent).toMatchObject({ content: 'read' })
  await allowed.client.close()
})

test('the official client is asked the questions of the model in one form, and sends a plan back', async () => {
  const questions = [
    { header: 'Extras', text: 'What else?', options: ['cache', 'queue'], multiple: true },
    { header: 'Base', text: 'Which?', options: ['a', 'b'], other: true },
  ]
  const plan = { title: 'Make it', steps: ['touch made.txt'] }
  await using world = await makeWorld(
    [
      { calls: [{ name: 'ask_user', arguments: { questions } }] },
      { calls: [{ name: 'propose_plan', arguments: plan }] },
      { text: 'done' },
    ],
    'on-request',
  )
  await using connected = await overStdio(world)
  const asked = { prompt: 'go', cwd: world.cwd, sandbox: 'read-only' }
  await connected.client.callTool({ name: 'codex', arguments: asked })
  expect(connected.questions.map((question) => Object.keys(Object(question).requestedSchema.properties))).toEqual([
    ['q1', 'q2', 'q2_other'],
    ['note'],
  ])
  const told = world.model.requests.at(-1)?.text ?? ''
  expect(told).toContain('answered')
  expect(told).toContain('keepPlanning')
})
