import { type CliRun, waitUntil } from '@parley/testkit'
import { describe, expect, test, vi } from 'vitest'
import { makeWorld, type World } from './world.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const initialize = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'raw', version: '1' },
  },
}

function send(run: CliRun, message: object): void {
  run.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

const call = (id: number, name: string, args: object) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const sees = (run: CliRun, text: string) =>
  waitUntil(() => run.stdout().includes(text), { what: text, timeoutMs: 30_000 })
const idIn = (run: CliRun) => /"threadId":"([0-9a-f-]{36})"/.exec(run.stdout())?.[1] ?? ''

/** Closes stdin. The promise is two seconds; the bound here leaves room for a machine with other work. */
async function end(run: CliRun) {
  run.closeStdin()
  return await run.result
}

async function begin(world: World): Promise<CliRun> {
  const run = world.start()
  send(run, initialize)
  await sees(run, '"serverInfo"')
  return run
}

const stubborn = `trap '' TERM; (trap '' TERM; sleep 60) & echo going; wait; sleep 60`

describe('the end of stdin ends the process, in every state', () => {
  test('before anything, with rubbish, and in the middle of a line', async () => {
    await using world = await makeWorld()
    for (const text of ['', '\n\nrubbish\n', '{"jsonrpc":"2.0","id":1,"meth']) {
      const run = world.start()
      run.write(text)
      expect(await end(run)).toMatchObject({ exitCode: 0, signal: null })
    }
  })

  test('what was asked before is still answered', async () => {
    await using world = await makeWorld()
    const run = world.start()
    send(run, initialize)
    send(run, { id: 2, method: 'tools/list' })
    send(run, call(3, 'conversationsList', {}))
    const { exitCode, stdout } = await end(run)
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    expect({ exitCode, ids }).toEqual({ exitCode: 0, ids: [1, 2, 3] })
  })

  test('while the model is silent', async () => {
    await using world = await makeWorld([{ text: 'never', hang: 'headers' }])
    const run = await begin(world)
    send(run, call(2, 'codex', { prompt: 'wait' }))
    await world.model.nextRequest()
    expect(await end(run)).toMatchObject({ exitCode: 0 })
    expect(await world.logOf(idIn(run))).toContain('"turn.ended"')
  })

  test('while a command runs that does not want to end', async () => {
    await using world = await makeWorld([{ calls: [{ name: 'shell', arguments: { command: stubborn } }] }])
    const run = await begin(world)
    send(run, call(2, 'codex', { prompt: 'run it' }))
    await sees(run, Buffer.from('going\n').toString('base64'))
    expect(world.commands().length).toBeGreaterThan(0)
    expect(await end(run)).toMatchObject({ exitCode: 0 })
    expect(world.commands()).toEqual([])
    expect(await world.logOf(idIn(run))).toContain('"turn.ended"')
  })

  test('while an approval of a call waits: it is denied', async () => {
    await using world = await makeWorld(
      [{ calls: [{ name: 'shell', arguments: { command: 'touch x' } }] }],
      'untrusted',
    )
    const run = await begin(world)
    send(run, call(2, 'codex', { prompt: 'touch' }))
    await sees(run, 'elicitation/create')
    expect(await end(run)).toMatchObject({ exitCode: 0 })
    expect(await world.logOf(idIn(run))).toContain('"decision":"denied"')
  })

  test('while an approval of a whole conversation waits: it is parked', async () => {
    await using world = await makeWorld(
      [{ calls: [{ name: 'shell', arguments: { command: 'touch x' } }] }],
      'untrusted',
    )
    const run = await begin(world)
    send(run, call(2, 'conversationCreate', { cwd: world.cwd, prompt: 'touch' }))
    const created = await waitUntil(() => /conversation_id":"([0-9a-f-]{36})/.exec(run.stdout())?.[1], {
      what: 'the id',
    })
    send(run, call(3, 'conversationStream', { conversation_id: created }))
    await sees(run, 'elicitation/create')
    expect(await end(run)).toMatchObject({ exitCode: 0 })
    expect(await world.logOf(created)).toContain('"turn.parked"')
  })

  test('while the client does not read', async () => {
    await using world = await makeWorld([{ text: 'x'.repeat(200_000) }])
    const run = world.start()
    send(run, initialize)
    for (let id = 2; id < 400; id += 1) send(run, { id, method: 'tools/list' })
    expect(await end(run)).toMatchObject({ exitCode: 0 })
  })
})

test('SIGTERM ends it like the end of stdin', async () => {
  await using world = await makeWorld([{ text: 'never', hang: 'headers' }])
  const run = await begin(world)
  send(run, call(2, 'codex', { prompt: 'wait' }))
  await world.model.nextRequest()
  run.signal('SIGTERM')
  expect(await run.result).toMatchObject({ exitCode: 0 })
})

test('after kill -9 in the middle of a command nothing runs on, and the conversation goes on in the next process', async () => {
  await using world = await makeWorld([
    { calls: [{ name: 'shell', arguments: { command: 'echo going; sleep 60' } }] },
    { text: 'recovered' },
  ])
  const killed = await begin(world)
  send(killed, call(2, 'codex', { prompt: 'run it' }))
  await sees(killed, Buffer.from('going\n').toString('base64'))
  killed.signal('SIGKILL')
  await killed.result
  await waitUntil(() => world.commands().length === 0, { what: 'the end of the command' })
  const run = await begin(world)
  send(run, call(2, 'codex-reply', { prompt: 'and now', threadId: idIn(killed) }))
  await sees(run, '"id":2')
  expect(run.stdout()).toContain('"content":"recovered"')
})

test('a conversation that is open in another process is joined there, and taken over when that is killed', async () => {
  await using world = await makeWorld([
    { text: 'one' },
    { text: 'two' },
    { text: 'lost', hang: 'headers' },
    { text: 'four' },
  ])
  const owner = await begin(world)
  send(owner, call(2, 'codex', { prompt: 'first' }))
  await sees(owner, '"id":2')
  const threadId = idIn(owner)
  const other = await begin(world)
  send(other, call(2, 'codex-reply', { prompt: 'second', threadId }))
  await sees(other, '"id":2}')
  expect(other.stdout()).toContain('"content":"two"')
  send(other, call(3, 'conversationStream', { conversation_id: threadId }))
  const state = await waitUntil(
    () => /\{"jsonrpc":"2.0","method":"notifications\/initial_state".*/.exec(other.stdout())?.[0],
    {
      what: 'the state',
    },
  )
  expect(state.match(/"last_agent_message":"\w+"/g)).toEqual([
    '"last_agent_message":"one"',
    '"last_agent_message":"two"',
  ])
  send(other, call(4, 'codex-reply', { prompt: 'third', threadId }))
  for (let n = 0; n < 3; n += 1) await world.model.nextRequest()
  owner.signal('SIGKILL')
  await sees(other, '"id":4}')
  expect(other.stdout()).toContain('The process that had the conversation open has ended.')
  send(other, call(5, 'codex-reply', { prompt: 'fourth', threadId }))
  await sees(other, '"id":5}')
  expect(other.stdout()).toContain('"content":"four"')
})
