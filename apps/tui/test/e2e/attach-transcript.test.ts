import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expectTranscript, recordTranscript, runCli, waitUntil } from '@parley/testkit'
import { test } from 'vitest'
import { place } from './interactive-program.ts'

interface Core {
  readonly approvals: Readonly<Record<string, unknown>>
  readonly settings: { readonly enforcement: string }
}

interface Message {
  readonly id?: number
  readonly result?: { readonly state?: { readonly core: Core } }
  readonly params?: { readonly event?: { readonly type: string } }
}

/** A client that knows only the protocol's reference: lines over the socket of a conversation's owner. */
async function lineClient(path: string) {
  const recorder = recordTranscript()
  const messages: Message[] = []
  const socket = connect({ path })
  await once(socket, 'connect')
  createInterface({ input: socket }).on('line', (line) => {
    recorder.line('<', line)
    messages.push(JSON.parse(line))
  })
  let id = 0
  const say = (message: object) => {
    const line = JSON.stringify({ jsonrpc: '2.0', ...message })
    recorder.line('>', line)
    socket.write(`${line}\n`)
  }
  const heard = (isIt: (message: Message) => boolean) =>
    waitUntil(() => messages.find(isIt), { what: 'a message of the server', timeoutMs: 30_000 })
  return {
    recorder,
    say,
    heard,
    async ask(method: string, params: object): Promise<NonNullable<Message['result']>> {
      const own = ++id
      say({ id: own, method, params })
      return (await heard((message) => message.id === own)).result ?? {}
    },
    async close() {
      const closed = once(socket, 'close')
      socket.end()
      await closed
    },
  }
}

test('a client that attaches to a live conversation is served as the documentation shows', async (context) => {
  const patch = '*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch\n'
  const calls = [{ name: 'apply_patch', arguments: { patch } }]
  await using at = await place([{ text: 'I will make it.', calls }, { text: 'Made it.' }])
  await using window = at.start('make the file')
  await window.waitFor(/y {2}yes/)
  const { stdout } = await runCli(['list', '--json'], { env: at.home.env, cwd: at.folder.path })
  const { conversationId, live } = JSON.parse(stdout)

  const client = await lineClient(live.socket)
  await client.ask('initialize', {
    protocolVersion: { min: 2, max: 2 },
    clientInfo: { name: 'example', title: 'a phone', version: '1.0.0' },
    capabilities: ['approvals'],
  })
  client.say({ method: 'initialized' })
  await client.ask('conversation/resume', { conversationId })
  const { state } = await client.ask('conversation/stream', { conversationId })
  const [approvalId] = Object.keys(state?.core.approvals ?? {})
  await client.ask('approval/decide', { conversationId, approvalId, decision: 'approved' })
  await client.heard(({ params }) => params?.event?.type === 'turn.ended')
  await window.waitFor(/answered by a phone: approved/)
  await client.ask('conversation/unstream', { conversationId })
  await client.close()
  const { enforcement = 'none' } = state?.core.settings ?? {}
  context.skip(
    enforcement !== 'full',
    `the documentation shows a machine with a full sandbox, and this is one of enforcement ${enforcement}`,
  )
  expectTranscript('docs/transcripts/attach.jsonl', client.recorder.entries, {
    places: { $WORK: at.folder.path, $HOME: at.home.path },
    texts: [[/^.+ \((?:pts\/|process )\d+\)$/, 'ada (pts/3)']],
  })
})
