import { expectTranscript, recordTranscript, startCli, tempWorkspace, waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { libraryWorld } from './library-world.ts'

const patch = `*** Begin Patch
*** Update File: greet.js
-console.log('hi')
+console.log('hello')
*** End Patch
`

/** A client that knows only the protocol's reference: lines in, lines out. */
function lineClient(server: ReturnType<typeof startCli>) {
  const recorder = recordTranscript()
  let read = 0
  let id = 0
  const messages: Message[] = []

  function take(): void {
    const text = server.stdout()
    for (let end = text.indexOf('\n', read); end >= 0; end = text.indexOf('\n', read)) {
      const line = text.slice(read, end)
      recorder.line('<', line)
      messages.push(JSON.parse(line))
      read = end + 1
    }
  }

  function say(message: object): void {
    take()
    const line = JSON.stringify({ jsonrpc: '2.0', ...message })
    recorder.line('>', line)
    server.write(`${line}\n`)
  }

  return {
    recorder,
    say,
    ask: async (method: string, params: object) => {
      const own = ++id
      say({ id: own, method, params })
      const answer = await heard(({ id: of }) => of === own)
      return answer.result ?? {}
    },
    heard,
  }

  function heard(isIt: (message: Message) => boolean): Promise<Message> {
    return waitUntil(
      () => {
        take()
        return messages.find(isIt)
      },
      { what: 'a message of the server', timeoutMs: 30_000 },
    )
  }
}

interface Message {
  readonly id?: number
  readonly result?: { readonly conversationId?: string; readonly settings?: { readonly enforcement: string } }
  readonly params?: { readonly event?: { readonly type: string; readonly approval?: { readonly id: string } } }
}

test('a session on stdio is the one that the documentation shows', async (context) => {
  await using world = await libraryWorld(
    { text: 'I will change the greeting.', calls: [{ name: 'apply_patch', arguments: { patch } }] },
    { text: 'It says hello now.' },
  )
  await using workspace = await tempWorkspace({ files: { 'greet.js': "console.log('hi')\n" } })
  await using server = startCli(['server'], { env: world.env, cwd: workspace.path, keepStdinOpen: true })
  const client = lineClient(server)
  const event = (type: string) => client.heard(({ params }) => params?.event?.type === type)

  await client.ask('initialize', {
    protocolVersion: { min: 2, max: 2 },
    clientInfo: { name: 'example', version: '1.0.0' },
    capabilities: ['approvals'],
  })
  client.say({ method: 'initialized' })
  const created = await client.ask('conversation/create', { cwd: workspace.path, approvalPolicy: 'untrusted' })
  const conversationId = created.conversationId
  await client.ask('conversation/stream', { conversationId })
  await client.ask('conversation/sendMessage', {
    conversationId,
    input: [{ type: 'text', text: 'Say hello instead of hi.' }],
  })
  const asked = await event('approval.requested')
  const approvalId = asked.params?.event?.approval?.id
  await client.ask('approval/decide', { conversationId, approvalId, decision: 'approved' })
  await event('turn.ended')
  server.closeStdin()
  expect(await server.result).toMatchObject({ exitCode: 0 })
  const { enforcement = 'none' } = created.settings ?? {}
  context.skip(
    enforcement !== 'full',
    `the documentation shows a machine with a full sandbox, and this is one of enforcement ${enforcement}`,
  )
  expectTranscript('docs/transcripts/native.jsonl', client.recorder.entries, {
    places: { $WORK: workspace.path, $HOME: world.home },
  })
})
