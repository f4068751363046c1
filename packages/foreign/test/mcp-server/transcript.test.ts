import { test, vi } from 'vitest'
import { recordSession } from '../recorded-session.ts'
import { makeWorld } from './world.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const patch = '*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch'

/** Filled in once the server has said it. */
const theConversation = '$CONVERSATION'

const requests: readonly object[] = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'docs', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'codex', arguments: { prompt: 'Make hello.txt and look at it' } } },
  {
    id: 3,
    method: 'tools/call',
    params: { name: 'codex-reply', arguments: { prompt: 'Thanks', threadId: theConversation } },
  },
  {
    id: 4,
    method: 'tools/call',
    params: { name: 'conversationStream', arguments: { conversation_id: theConversation } },
  },
  { id: 5, method: 'tools/call', params: { name: 'conversationsList', arguments: { limit: 10 } } },
  { id: 6, method: 'tools/call', params: { name: 'codex-reply', arguments: { prompt: 'Hello?' } } },
]

test('a session is the one in the docs', async () => {
  await using world = await makeWorld(
    [
      { calls: [{ name: 'apply_patch', arguments: { patch } }] },
      { calls: [{ name: 'shell', arguments: { command: 'touch /etc/hello' } }] },
      { text: 'hello.txt is there; I was not to touch /etc.' },
      { text: 'You are welcome.' },
    ],
    'untrusted',
  )
  const run = world.start()
  let conversation = ''
  const answers = ['{"decision":"approved"}', '{"action":"decline"}']
  const session = recordSession(run, (line) => {
    conversation ||= /"session_id":"([^"]+)"/.exec(line)?.[1] ?? ''
    if (line.includes('elicitation/create'))
      say({ id: JSON.parse(line).id, result: JSON.parse(answers.shift() ?? '{}') })
  })
  const say = (message: object) =>
    session.say(JSON.stringify({ jsonrpc: '2.0', ...message }).replaceAll(theConversation, conversation))
  for (const request of requests) {
    say(request)
    if ('id' in request)
      await session.until(
        `answer ${request.id}`,
        (line) => line.includes(`"id":${request.id}}`) && line.startsWith('{"result"'),
      )
    if ('id' in request && request.id === 4) await session.until('the state', (line) => line.includes('initial_state'))
  }
  await session.expectEnd('mcp-server.jsonl', {
    cwd: world.cwd,
    home: world.env['HOME'] ?? '',
    keys: ['duration', 'version'],
  })
})
