import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { startModelServer, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { takeOver } from './support/after-kill.ts'
import { fullAccess, type ProcessPlace, processPlace } from './support/spawned-server.ts'

const races = process.env['PARLEY_LONG_TESTS'] === '1' ? 100 : 1

/** A conversation with one turn, whose server has left. */
async function closedTalk(place: ProcessPlace): Promise<string> {
  const server = place.spawn()
  const client = await server.connect()
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const watched = await client.watch(conversationId)
  await watched.send('one')
  await watched.turnEnded()
  await client.peer.close()
  await server.exited
  return conversationId
}

describe('one conversation and two processes', { timeout: 60_000 }, () => {
  it('has one writer, and the other process learns which', { timeout: races * 10_000 }, async () => {
    await using model = await startModelServer([{ text: 'A' }])
    await using place = processPlace(model.url)
    const conversationId = await closedTalk(place)
    for (let race = 0; race < races; race++) {
      const servers = [place.spawn(), place.spawn()]
      const clients = await Promise.all(servers.map((server) => server.connect()))
      const answers = await Promise.allSettled(
        clients.map((client) => client.request('conversation/resume', { conversationId })),
      )
      const winner = answers.findIndex(({ status }) => status === 'fulfilled')
      expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const loser = clients[1 - winner]
      const pid = servers[winner]?.pid
      expect(await loser?.refused('conversation/resume', { conversationId })).toMatchObject({
        code: 'liveElsewhere',
        detail: { pid },
      })
      expect((await loser?.request('conversation/list', {}))?.conversations).toMatchObject([{ live: { pid } }])
      await loser?.request('conversation/resume', { conversationId, readOnly: true })
      expect((await loser?.watch(conversationId))?.items()).toHaveLength(2)
      for (const { child } of servers) child.kill('SIGKILL')
      await Promise.all(servers.map(({ exited }) => exited))
    }
  })

  it('is free at once when its owner was killed, also when another process has its number', async () => {
    await using model = await startModelServer([{ text: 'A' }])
    await using place = processPlace(model.url)
    const conversationId = await closedTalk(place)
    const owner = place.spawn()
    await (await owner.connect()).request('conversation/resume', { conversationId })
    const word = readFileSync(place.path(conversationId, 'owner'), 'utf8')
    owner.child.kill('SIGKILL')
    await owner.exited
    writeFileSync(place.path(conversationId, 'owner'), word.replace(String(owner.pid), String(process.pid)))
    const next = await place.start().connect()
    expect((await next.request('conversation/list', {})).conversations).toMatchObject([{ live: null }])
    expect((await takeOver(place, conversationId)).summary).toMatchObject({ readOnly: false })
  })
})

describe('a server whose run folder is removed', { timeout: 60_000 }, () => {
  it('listens anew, says where, and is joined again while a turn goes on', async () => {
    const gate = Promise.withResolvers<void>()
    await using model = await startModelServer([{ text: 'One, and two.', chunks: 2, gate: gate.promise }])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    await watched.send('go')
    const folder = dirname(await server.socket())
    const written = place.path(conversationId, 'owner')
    rmSync(folder, { recursive: true })
    const joined = await waitUntil(() => server.join('again').catch(() => null), { what: 'the socket again' })
    await joined.request('conversation/resume', { conversationId })
    const seen = await joined.watch(conversationId)
    gate.resolve()
    await Promise.all([watched.turnEnded(), seen.turnEnded()])
    expect(seen.items()).toHaveLength(2)
    expect(readFileSync(written, 'utf8')).toContain(await server.socket())
    const log = readFileSync(`${place.root}/.parley/logs/server.log`, 'utf8')
    expect(log).toContain(`this process listens at ${await server.socket()} now`)
    await Promise.all([client.peer.close(), joined.peer.close()])
    await server.exited
  })
})

describe.skipIf(process.platform !== 'linux')(
  'what a killed server and its guard left running',
  { timeout: 30_000 },
  () => {
    it('is ended by the next server', { timeout: 60_000 }, async () => {
      const call = { name: 'shell', arguments: { command: 'setsid sleep 600 & echo started; wait' } }
      await using model = await startModelServer([{ calls: [call] }])
      await using place = processPlace(model.url)
      const server = place.spawn(undefined, {}, fullAccess)
      const client = await server.connect()
      const { conversationId } = await client.request('conversation/create', {
        cwd: place.cwd,
        sandbox: 'danger-full-access',
      })
      const shown = await client.watch(conversationId)
      await shown.send('go')
      await shown.until(({ core }) => Object.values(core.open).find(({ output }) => output.includes('started')))
      // A server that still runs when it hears of its guard's end starts another, which would do the sweep.
      server.child.kill('SIGSTOP')
      await waitUntil(() => /^State:\s+T/m.test(readFileSync(`/proc/${server.pid}/status`, 'utf8')), {
        what: 'the stop',
      })
      const guards = childrenOf(server.pid, 'parley-guard')
      expect(guards).toHaveLength(1)
      for (const pid of guards) process.kill(pid, 'SIGKILL')
      server.child.kill('SIGKILL')
      await server.exited
      expect(place.descendants().length).toBeGreaterThan(0)
      const next = place.spawn()
      await next.connect()
      await waitUntil(() => place.descendants().length === 0, { what: 'the sweep', timeoutMs: 30_000 })
    })
  },
)

function childrenOf(parent: number, word: string): number[] {
  const text = (pid: number, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && new RegExp(`^PPid:\\s+${parent}$`, 'm').test(text(pid, 'status')))
    .filter((pid) => text(pid, 'cmdline').includes(word))
}
