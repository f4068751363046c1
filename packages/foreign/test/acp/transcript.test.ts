import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import {
  type AnyMessage,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { expectTranscript, recordTranscript, waitUntil } from '@parley/testkit'
import { test, vi } from 'vitest'
import { makeWorld } from '../mcp-server/world.ts'
import { choose, startAcp } from './acp-client.ts'

// Starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const patch = '*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch'

/** Updates that arrive at any time; only the newest one counts. */
const ofTheirOwnTime: ReadonlySet<string> = new Set(['session_info_update', 'usage_update', 'config_option_update'])

test('a session is the one in the docs', async () => {
  await using world = await makeWorld(
    [
      { calls: [{ name: 'apply_patch', arguments: { patch } }] },
      { calls: [{ name: 'shell', arguments: { command: 'cat hello.txt' } }] },
      { calls: [{ name: 'shell', arguments: { command: 'touch /etc/hello' } }] },
      { reasoning: 'The user said no.', text: 'hello.txt is there; I was not to touch /etc.' },
    ],
    'untrusted',
  )
  const transcript = recordTranscript()
  const updates: SessionUpdate[] = []
  const record = (dir: '>' | '<') =>
    new TransformStream<AnyMessage, AnyMessage>({
      transform(message, controller) {
        if (!isOfItsOwnTime(message)) transcript.line(dir, JSON.stringify(message))
        controller.enqueue(message)
      },
    })
  const child = startAcp(world)
  const wire = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout))
  const sending = record('>')
  void sending.readable.pipeTo(wire.writable).catch(() => undefined)
  const choices = ['approved', 'denied']
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, () => choose(choices.shift() ?? 'abort'))
    .onRequest(methods.client.fs.readTextFile, () => ({ content: '' }))
    .connect({ readable: wire.readable.pipeThrough(record('<')), writable: sending.writable })
  const { agent } = connection
  const until = (kind: string) =>
    waitUntil(() => updates.some(({ sessionUpdate }) => sessionUpdate === kind), { what: kind })
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'editor', version: '1' },
    clientCapabilities: { fs: { readTextFile: true }, elicitation: { form: {} }, _meta: { terminal_output: true } },
  })
  const { sessionId } = await agent.request<{ sessionId: string }>(methods.agent.session.new, {
    cwd: world.cwd,
    mcpServers: [],
  })
  await until('available_commands_update')
  const say = (text: string) =>
    agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
  await say('Make hello.txt and look at it')
  await say('/rename boat')
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' })
  await until('current_mode_update')
  await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'effort', value: 'high' })
  await agent.request(methods.agent.session.list, { cwd: world.cwd })
  await agent.request(methods.agent.session.close, { sessionId })
  const exited = once(child, 'exit')
  child.stdin.end()
  const [code] = await exited
  transcript.remark('server exit', { code })
  connection.close()
  expectTranscript('docs/transcripts/acp.jsonl', transcript.entries, {
    places: { $WORK: world.cwd, $HOME: world.env['HOME'] ?? '' },
    texts: [[/^\/\S*\/(?:ba|z|da)?sh$/, '<shell>']],
    keys: ['version', 'updatedAt'],
  })
})

function isOfItsOwnTime(message: AnyMessage): boolean {
  if (!('method' in message) || message.method !== methods.client.session.update) return false
  const { update } = message.params as { update: SessionUpdate }
  return ofTheirOwnTime.has(update.sessionUpdate)
}
