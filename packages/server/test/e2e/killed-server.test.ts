import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startModelServer } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it } from 'vitest'
import { namesIn } from '../engine/support/test-server.ts'
import { failpoints } from '../fixtures/failpoints.ts'
import { expectShownIsStored, takeOver } from './support/after-kill.ts'
import { fullAccess, processPlace } from './support/spawned-server.ts'

const shell = (command: string) => ({ calls: [{ name: 'shell', arguments: { command } }] })
const sessionNames = (root: string) => {
  const folder = join(root, '.parley', 'sessions')
  return existsSync(folder) ? namesIn(folder).filter((name) => name.endsWith('.jsonl')) : []
}

describe('a server killed', { timeout: 60_000 }, () => {
  it('before it has answered initialize leaves nothing behind', async () => {
    await using model = await startModelServer()
    await using place = processPlace(model.url)
    const server = place.spawn(failpoints.beforeInitializeIsAnswered)
    await expect(server.connect()).rejects.toMatchObject({ data: { code: 'connectionClosed' } })
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect(sessionNames(place.root)).toEqual([])
    expect((await (await place.start().connect()).request('conversation/list', {})).conversations).toEqual([])
  })

  it('after create and before the first message leaves no conversation, and its lock is free', async () => {
    await using model = await startModelServer()
    await using place = processPlace(model.url)
    const server = place.spawn()
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    server.child.kill('SIGKILL')
    await server.exited
    expect(sessionNames(place.root)).toEqual([])
    const next = await place.start().connect()
    expect((await next.request('conversation/list', {})).conversations).toEqual([])
    expect(await next.refused('conversation/resume', { conversationId })).toMatchObject({
      code: 'conversationNotFound',
    })
  })

  it('while an approval is pending has run nothing and asks again, by the same id', async () => {
    await using model = await startModelServer([shell('echo ran >> ran')])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    const before = await shown.approval()
    server.child.kill('SIGKILL')
    await server.exited
    expectShownIsStored(place, shown)
    const { summary, watched, started } = await takeOver(place, conversationId)
    expect(summary).toMatchObject({
      activity: 'parked',
      recovered: expect.stringContaining('1 approval waits for you again'),
    })
    const { state: _state, ...asked } = before
    expect(await watched.approval()).toMatchObject(asked)
    expect([existsSync(join(place.cwd, 'ran')), started]).toEqual([false, []])
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('ran')).toBe('ran\n')
  })

  it.each([
    ['after the answer was recorded', failpoints.afterYesIsLogged],
    ['before the command is recorded as begun', failpoints.beforeStartIsLogged],
  ])('%s keeps the yes, and waits for the user to start it', async (_, killAt) => {
    await using model = await startModelServer([shell('echo ran >> ran')])
    await using place = processPlace(model.url)
    const server = place.spawn(killAt)
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    await shown.decide('approved').catch(() => undefined)
    await server.exited
    expectShownIsStored(place, shown)
    const { summary, watched, client: next, started } = await takeOver(place, conversationId)
    expect(summary.activity).toBe('parked')
    expect(Object.values(watched.state.core.approvals)).toMatchObject([{ state: 'approved', by: { name: 'test' } }])
    expect([existsSync(join(place.cwd, 'ran')), started]).toEqual([false, []])
    await next.request('conversation/continue', { conversationId })
    await watched.turnEnded()
    expect(place.read('ran')).toBe('ran\n')
  })

  it.each([
    ['before the command starts', failpoints.beforeCommandStarts],
    ['after the command has started', failpoints.afterCommandStarts],
  ])('%s does not know how it ended, and does not run it again', async (_, killAt) => {
    await using model = await startModelServer([shell('echo ran >> ran; sleep 600')])
    await using place = processPlace(model.url)
    const server = place.spawn(killAt)
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    await shown.decide('approved').catch(() => undefined)
    await server.exited
    await place.noDescendants()
    expectShownIsStored(place, shown)
    const { summary, watched, model: later, started } = await takeOver(place, conversationId)
    expect(summary).toMatchObject({
      activity: 'idle',
      recovered: expect.stringContaining('started, end unknown: echo ran'),
    })
    expect(watched.items().at(-1)).toMatchObject({ status: 'unknown' })
    await watched.send('go on')
    await watched.turnEnded()
    expect(JSON.stringify(later.requests[0]?.entries)).toContain('whether it finished is unknown')
    expect(started).toEqual([])
  })

  it('while a command writes keeps all that it had written', async () => {
    await using model = await startModelServer([shell('seq 1 20000; sleep 600')])
    await using place = processPlace(model.url)
    const server = place.spawn(undefined, {}, fullAccess)
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', {
      cwd: place.cwd,
      sandbox: 'danger-full-access',
    })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    await shown.until(({ core }) => Object.values(core.open).find(({ progress }) => progress?.tail.endsWith('20000\n')))
    server.child.kill('SIGKILL')
    await server.exited
    const { watched, client: next } = await takeOver(place, conversationId)
    const item = watched.items().findLast(({ type }) => type === 'commandExecution')
    expect(item).toMatchObject({ status: 'unknown', output: { totalBytes: 108_894 } })
    const file = item?.type === 'commandExecution' ? (item.output?.file ?? '') : ''
    const read = await next.request('conversation/readFile', { conversationId, file, offset: 108_888 })
    expect(Buffer.from(read.base64, 'base64').toString()).toBe('20000\n')
    expect(readdirSync(place.path(conversationId, 'sideFiles')).some((name) => name.startsWith('spool-'))).toBe(false)
  })

  it('in the middle of a line keeps the line before, sets the torn one aside and says so', async () => {
    await using model = await startModelServer([{ text: 'All of the answer.' }])
    await using place = processPlace(model.url)
    const server = place.spawn(failpoints.inMiddleOfLine)
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    await server.exited
    const { summary, watched } = await takeOver(place, conversationId)
    expect(summary.recovered).toMatch(/an unfinished last line \(\d+ bytes\) was kept aside/)
    expect(readdirSync(place.path(conversationId, 'folder')).some((name) => name.includes('.torn-'))).toBe(true)
    for (const { seq, crc } of shown.events) {
      const stored = place.logLines(conversationId).find((line) => line.startsWith(`{"seq":${seq},`))
      expect(stored).toContain(`"crc":"${crc}"`)
    }
    await watched.send('again')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })

  it.each([
    ['before it has recorded the end', failpoints.beforeEndOfTurnIsLogged],
    ['after it has recorded the end', failpoints.afterEndOfTurnIsLogged],
    ['while it saves', failpoints.whileShutdownSyncs],
  ])('during shutdown, %s, leaves a free lock and no command', async (_, killAt) => {
    await using model = await startModelServer([shell('echo started; sleep 600')])
    await using place = processPlace(model.url)
    const server = place.spawn(killAt, {}, fullAccess)
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', {
      cwd: place.cwd,
      sandbox: 'danger-full-access',
    })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    await shown.until(({ core }) => Object.values(core.open).find(({ output }) => output === 'started\n'))
    await client.peer.close()
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' })
    await place.noDescendants()
    expectShownIsStored(place, shown)
    const { watched } = await takeOver(place, conversationId)
    expect(watched.state.core).toMatchObject({ turn: null, open: {}, lastTurn: { outcome: 'interrupted' } })
  })
})

describe('a server killed while it writes a patch', { timeout: 60_000 }, () => {
  const files = ['a.txt', 'b.txt', 'c.txt']
  const patch = [
    '*** Begin Patch',
    ...files.flatMap((name) => [`*** Update File: ${name}`, '@@', '-old', '+new']),
    '*** End Patch',
  ].join('\n')

  const kills = [
    ['writeTemp', 3, 'after', ['old', 'old', 'old']],
    ['rename', 1, 'after', ['new', 'old', 'old']],
    ['rename', 3, 'after', ['new', 'new', 'new']],
  ] as const
  const furtherKills = [
    ['writeTemp', 2, 'before', ['old', 'old', 'old']],
    ['rename', 2, 'before', ['new', 'old', 'old']],
    ['rename', 2, 'after', ['new', 'new', 'old']],
  ] as const
  it.each([...kills, ...(isLong ? furtherKills : [])])(
    'at %s %i (%s) has each file old or new, and says which',
    async (operation, nth, when, contents) => {
      await using model = await startModelServer([{ calls: [{ name: 'apply_patch', arguments: { patch } }] }])
      await using place = processPlace(model.url)
      for (const name of files) place.write(name, 'old\n')
      const server = place.spawn({ operation, match: '', nth, when })
      const client = await server.connect()
      const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
      const shown = await client.watch(conversationId)
      await shown.send('go')
      await shown.decide('approved').catch(() => undefined)
      await server.exited
      expectShownIsStored(place, shown)
      expect(files.map((name) => place.read(name).trim())).toEqual(contents)

      const { summary, watched } = await takeOver(place, conversationId)
      expect(summary.recovered).toContain('started, end unknown: Patch a.txt and 2 more')
      const item = watched.items().at(-1)
      expect(item).toMatchObject({ type: 'fileChange', status: 'unknown' })
      for (const [index, name] of files.entries()) {
        const words = contents[index] === 'old' ? 'as before the patch' : 'as the patch leaves it'
        expect(item?.text).toContain(`${join(place.cwd, name)}: ${words}`)
        expect(item !== undefined && 'modelText' in item ? item.modelText : '').toContain(`${name}: ${words}`)
      }
      expect(namesIn(place.cwd)).toEqual(files)
      expect(files.map((name) => place.read(name).trim())).toEqual(contents)
    },
  )
})
