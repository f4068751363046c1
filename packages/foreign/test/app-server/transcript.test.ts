import { startCli } from '@parley/testkit'
import { test, vi } from 'vitest'
import { makeWorld } from '../mcp-server/world.ts'
import { recordSession } from '../recorded-session.ts'

// The test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const patch = '*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch'

/** Filled in once the server has said it. */
const theThread = '$THREAD'

const text = (said: string) => [{ type: 'text', text: said, text_elements: [] }]

/** Requests, each with the notification after which the next one is sent; null for its answer. */
const requests: readonly (readonly [request: object, until: string | null])[] = [
  [{ id: 1, method: 'thread/list', params: {} }, null],
  [
    {
      id: 2,
      method: 'initialize',
      params: { clientInfo: { name: 'docs', title: 'Docs', version: '1' }, capabilities: null },
    },
    null,
  ],
  [{ method: 'initialized' }, null],
  [{ id: 3, method: 'thread/start', params: { approvalPolicy: 'untrusted' } }, 'thread/started'],
  [
    { id: 4, method: 'turn/start', params: { threadId: theThread, input: text('Make hello.txt and look at it') } },
    'turn/completed',
  ],
  [{ id: 5, method: 'turn/start', params: { threadId: theThread, input: text('Wait') } }, 'item/completed'],
  [{ id: 6, method: 'turn/interrupt', params: { threadId: theThread, turnId: '' } }, 'turn/completed'],
  [{ id: 7, method: 'thread/turns/list', params: { threadId: theThread } }, null],
  [{ id: 8, method: 'command/exec', params: { command: ['cat', 'hello.txt'] } }, null],
  [
    {
      id: 9,
      method: 'command/exec',
      params: { command: ['cat', 'hello.txt'], processId: 'cat', streamStdoutStderr: true },
    },
    null,
  ],
  [{ id: 10, method: 'fs/readFile', params: { path: '$WORK/hello.txt' } }, null],
  [{ id: 11, method: 'config/value/write', params: { keyPath: 'model', value: 'm2', mergeStrategy: 'replace' } }, null],
]

test('a session is the one in the docs', async () => {
  await using world = await makeWorld(
    [
      { calls: [{ name: 'apply_patch', arguments: { patch } }] },
      { calls: [{ name: 'shell', arguments: { command: 'touch /etc/hello' } }] },
      { text: 'hello.txt is there; I was not to touch /etc.' },
      { text: 'Waiting.', hang: 'headers' },
    ],
    'untrusted',
  )
  const args = ['app-server', '--max-sandbox', 'danger-full-access']
  await using run = startCli(args, { env: world.env, cwd: world.cwd, keepStdinOpen: true, timeoutMs: 30_000 })
  let thread = ''
  const decisions = ['accept', 'decline']
  const session = recordSession(run, (line) => {
    const { id, method }: Message = JSON.parse(line)
    thread ||= /"thread":\{"id":"([^"]+)"/.exec(line)?.[1] ?? ''
    if (method?.endsWith('/requestApproval') === true) say({ id, result: { decision: decisions.shift() } })
  })
  const say = (message: object) =>
    session.say(JSON.stringify(message).replaceAll(theThread, thread).replaceAll('$WORK', world.cwd))
  const until = (what: string, isIt: (message: Message) => boolean) =>
    session.until(what, (line) => isIt(JSON.parse(line)))
  for (const [request, last] of requests) {
    say(request)
    if (last !== null) await until(last, ({ method }) => method === last)
    else if ('id' in request)
      await until(`answer ${request.id}`, ({ id, method }) => id === request.id && method === undefined)
  }
  await session.expectEnd('app-server.jsonl', {
    cwd: world.cwd,
    home: world.env['HOME'] ?? '',
    keys: ['createdAt', 'updatedAt', 'recencyAt', 'startedAt', 'completedAt', 'cliVersion', 'backwardsCursor'],
  })
})

interface Message {
  readonly id?: number
  readonly method?: string
}
