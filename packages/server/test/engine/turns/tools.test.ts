import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { openHost } from '@parley/host'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

describe('a call', () => {
  it('runs after the response is complete, and its result goes to the model', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const model = scriptedModel(
      { text: 'Looking.', calls: [{ name: 'read_file', args: { path: 'a.txt' } }] },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model })
    await watched.send('look')
    await watched.turnEnded()
    expect(watched.story().slice(3)).toMatchInlineSnapshot(`
      [
        "context.set",
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.started read_file proposed",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "execution.started by builtin:read-inside-roots",
        "item.completed read_file completed",
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "turn.ended completed",
      ]
    `)
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ kind: 'result', callId: 'call_1', isError: false })
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('alpha')
  })

  it('warms up its tool while the model writes it', async () => {
    await using place = testPlace()
    const host = openHost()
    const { promise, resolve } = Promise.withResolvers<void>()
    const model = scriptedModel({ begins: 'shell', gate: promise })
    const { watched } = await place.talk({ model, host })
    await watched.send('go')
    expect(await waitUntil(() => host.guardPid() !== null, { what: 'the process that guards commands' })).toBe(true)
    resolve()
    await watched.turnEnded()
  })

  it('runs together with other look-ups, and effects follow one by one in order', async () => {
    await using place = testPlace()
    place.write('a.txt', 'a')
    const calls = [
      { name: 'read_file', args: { path: 'a.txt' } },
      { name: 'list_dir', args: {} },
      { name: 'shell', args: { command: 'echo one >> order' } },
      { name: 'shell', args: { command: 'echo two >> order' } },
      { name: 'read_file', args: { path: 'order' } },
    ]
    const { watched } = await place.talk({ model: scriptedModel({ calls }, { text: 'ok' }) }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(place.read('order')).toBe('one\ntwo\n')
    const story = watched.story()
    const begun = story.flatMap((line, index) => (line.startsWith('execution.started') ? [index] : []))
    const ended = story.flatMap((line, index) =>
      /^item.completed (read_file|list_dir|shell)/.test(line) ? [index] : [],
    )
    expect([begun.length, ended.length]).toEqual([5, 5])
    expect(begun[1]).toBeLessThan(ended[0] ?? 0)
    expect(begun[2]).toBeGreaterThan(ended[1] ?? 0)
    expect(begun[3]).toBeGreaterThan(ended[2] ?? 0)
    expect(begun[4]).toBeGreaterThan(ended[3] ?? 0)
  })

  it('is answered with the names of the tools when its tool is unknown', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'telnet', args: {} }] }, { text: 'sorry' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ tool: 'telnet', status: 'failed', failure: { code: 'invalidToolCall' } })
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain(
      'There is no tool \\"telnet\\". The tools are: shell',
    )
  })

  it.each([
    ['{"path": ', 'The arguments end in the middle'],
    ['{path: 1}', 'not valid JSON'],
    ['{"path": 7}', 'The arguments of read_file are not right'],
    ['', 'The arguments of read_file are not right'],
  ])('is answered with the problem when its arguments are %j', async (args, problem) => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'read_file', args }] }, { text: 'sorry' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', title: 'read_file' })
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain(problem)
  })
})

describe('a started call', () => {
  it('whose turn fails is unknown, and the model is told to check before running it again', async () => {
    await using place = testPlace()
    const host = {
      ...openHost(),
      runCommand: () => {
        throw new Error('a defect')
      },
    }
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'echo hi' } }] })
    const { watched } = await place.talk({ model, host }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'internal' } })
    expect(watched.items()[1]).toMatchObject({
      status: 'unknown',
      modelText: 'This was started, but how it ended is unknown. Check before running it again.',
    })
  })
})

describe('the tool', () => {
  it('update_plan puts the plan into the state', async () => {
    await using place = testPlace()
    const plan = [
      { step: 'look', status: 'completed' },
      { step: 'do', status: 'in_progress' },
    ]
    const { watched } = await place.talk({ model: scriptedModel({ calls: [{ name: 'update_plan', args: { plan } }] }) })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.plan).toEqual({
      steps: [
        { step: 'look', status: 'completed' },
        { step: 'do', status: 'inProgress' },
      ],
    })
  })

  it('read_file continues in the output of an earlier command', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'seq 1 100000' } }] },
      ({ entries }) => {
        const path = /output:[\w-]+/.exec(JSON.stringify(entries))?.[0]
        return { calls: [{ name: 'read_file', args: { path, offset: 50_000, limit: 2 } }] }
      },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    const [command, read] = watched.items().slice(1)
    expect(command).toMatchObject({
      exitCode: 0,
      output: { totalBytes: 588_895, file: expect.stringMatching(/^sha256:/) },
    })
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('bytes left out; read_file')
    expect(read).toMatchObject({ modelText: '[lines 50000 to 50001 of 100001]\n50000\n50001' })
  })

  it('read_file counts in bytes what it leaves out of an output', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'for i in $(seq 1 4000); do echo ääääääää; done' } }] },
      ({ entries }) => {
        const path = /output:[\w-]+/.exec(JSON.stringify(entries))?.[0]
        return { calls: [{ name: 'read_file', args: { path, limit: 5000 } }] }
      },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    const leftOut = /\[… .*? …\]/.exec(JSON.stringify(watched.items()[2]))?.[0]
    expect(leftOut).toMatch(/^\[… \d{5} of 68000 bytes left out; ask for fewer lines …\]$/)
  })

  it('shell tells the model the exit code and both output streams in true order', async () => {
    await using place = testPlace()
    const command = 'echo out; echo err >&2; exit 3'
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command } }] }, { text: 'ok' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', exitCode: 3, output: { head: 'out\nerr\n' } })
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      text: expect.stringMatching(/^exit 3 after .* s\nout\nerr\n$/),
    })
  })

  it('shell starts a background command, and stop_process ends it', async () => {
    await using place = testPlace()
    const command = 'echo ready; exec sleep 600'
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command, background: true } }] },
      async ({ entries }) => {
        const id = /output:([\w-]+)/.exec(JSON.stringify(entries))?.[1]
        const { conversations } = await client.request('server/diagnostics', {})
        expect(conversations).toMatchObject([{ backgroundProcesses: 1 }])
        return {
          calls: [
            { name: 'stop_process', args: {} },
            { name: 'stop_process', args: { id } },
          ],
        }
      },
      { text: 'ok' },
    )
    const { watched, client } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    // The notice of its end comes as soon as it has ended, which may be before the call that stopped it has.
    const [started, listed, stopped] = watched
      .items()
      .slice(1)
      .filter(({ type }) => type !== 'notice')
    expect(started).toMatchObject({ status: 'completed', background: true })
    expect(listed).toMatchObject({ modelText: expect.stringContaining('exec sleep 600 (running)') })
    expect(stopped).toMatchObject({ modelText: expect.stringMatching(/^Process .* ended/) })
  })

  it('shell asks no question about a command whose folder does not exist', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { text: '', calls: [{ name: 'shell', args: { command: 'touch a', workdir: 'gone' } }] },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.story().filter((event) => event.includes('approval'))).toEqual([])
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain(
      `Not run: the working directory ${place.cwd}/gone is not there. Make it first, or name another workdir.`,
    )
  })

  it('shell reports a command that exceeded its time limit', async () => {
    await using place = testPlace()
    const args = { command: 'sleep 600', timeout_ms: 50 }
    const { watched } = await place.talk({ model: scriptedModel({ calls: [{ name: 'shell', args }] }) }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', failure: { code: 'timedOut' } })
  })
})
