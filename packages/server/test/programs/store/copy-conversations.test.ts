import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createConnection } from 'node:net'
import { dirname, join } from 'node:path'
import { keptContents } from '@parley/engine/src/history/kept-contents.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { encodeHeader, encodeLine, newHeader, nodeFiles } from '@parley/journal'
import { type ConversationEvent, initialState } from '@parley/protocol'
import { openStore } from '@parley/team/store'
import { hasNats, type NatsServers, startNats } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runStore } from '../../../src/programs/store/run-store.ts'
import { placeLog, recordedLogs } from '../../engine/support/recorded-logs.ts'
import { type TestPlace, testPlace } from '../../engine/support/test-server.ts'
import { bundledProgram } from '../../fixtures/bundled-program.ts'

describe.skipIf(!hasNats)('parley store', { timeout: 60_000 }, () => {
  let nats: NatsServers
  beforeEach(async () => {
    nats = await startNats()
  })
  afterEach(() => nats[Symbol.asyncDispose]())

  const url = () => `nats://${nats.addresses.join(',')}`
  const open = () => openStore({ servers: nats.addresses, replicas: 1, files: nodeFiles })

  test('copies logs of every version there and back, byte for byte and with their side files', async () => {
    await using one = testPlace()
    await using other = testPlace()
    const ids = recordedLogs.map((log) => placeLog(one, log))
    expect(await run(one, ['copy', '--to', url(), '--all'])).toMatchObject({ code: 0, counts: { copied: ids.length } })
    expect(await run(other, ['copy', '--from', url(), '--all'])).toMatchObject({
      code: 0,
      counts: { copied: ids.length },
    })
    for (const id of ids) {
      expect(readFileSync(other.path(id)).equals(readFileSync(one.path(id)))).toBe(true)
      for (const name of namesIn(other.path(id, 'sideFiles')))
        expect(readFileSync(join(other.path(id, 'sideFiles'), name))).toEqual(
          readFileSync(join(one.path(id, 'sideFiles'), name)),
        )
    }
    expect(await run(one, ['copy', '--to', url(), '--all'])).toMatchObject({
      code: 0,
      counts: { 'the same': ids.length },
    })
    expect(await run(other, ['verify', '--store', url(), '--all'])).toMatchObject({
      code: 0,
      counts: { 'the same': ids.length },
    })
  })

  test('leaves a question open under its id: at a server of the store, and back here without it', async () => {
    await using one = testPlace()
    await using other = testPlace()
    const call = { calls: [{ name: 'shell', args: { command: 'touch made' } }] }
    const talk = await one.talk({ model: scriptedModel(call) }, { approvalPolicy: 'untrusted' })
    await talk.watched.send('go')
    const asked = await talk.watched.approval()
    const { conversationId } = talk.watched
    expect(await run(one, ['copy', '--to', url(), conversationId])).toMatchObject({
      code: 11,
      counts: { refused: 1 },
      output: expect.stringContaining('is open in process'),
    })
    await talk.server.close()
    expect(await run(one, ['copy', '--to', url(), conversationId, '--dry-run'])).toMatchObject({
      counts: { 'would copy': 1 },
    })
    expect(await run(one, ['copy', '--to', url(), conversationId])).toMatchObject({ counts: { copied: 1 } })

    const store = await open()
    const server = other.start({ store, model: scriptedModel({ text: 'Done.' }) })
    const client = await server.connect()
    await client.request('conversation/resume', { conversationId })
    const there = await client.watch(conversationId)
    expect((await there.approval()).id).toBe(asked.id)
    const far = testPlace()
    expect(await run(far, ['copy', '--from', url(), conversationId])).toMatchObject({ counts: { refused: 1 } })
    await there.decide('approved')
    await there.turnEnded()
    await server.close()
    await store[Symbol.asyncDispose]()

    const alone = await one.start().connect()
    await expect(alone.request('conversation/resume', { conversationId })).rejects.toThrow('started without one')
    expect(await run(one, ['copy', '--from', url(), conversationId])).toMatchObject({ counts: { copied: 1 } })
    await alone.request('conversation/resume', { conversationId })
    expect((await alone.watch(conversationId)).state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(one.logLines(conversationId)).toEqual(
      other.logLines(conversationId).slice(0, one.logLines(conversationId).length),
    )
    await far[Symbol.asyncDispose]()
  })

  test('gives a conversation back that the store has lost, with the question that was open in it', async () => {
    await using one = testPlace()
    await using other = testPlace()
    const call = { calls: [{ name: 'shell', args: { command: 'touch made' } }] }
    const store = await open()
    const talk = await one.talk(
      { store, model: scriptedModel(call) },
      { approvalPolicy: 'untrusted', addDirs: [one.root] },
    )
    await talk.watched.send('go')
    const asked = await talk.watched.approval()
    const { conversationId } = talk.watched
    await talk.server.close()
    const row = await store.lists.row(conversationId)
    expect(row).toMatchObject({ given: { writableRoots: [one.root] } })
    const second = other.start({ store, model: scriptedModel({ text: 'Done.' }) })
    const client = await second.connect()
    await client.request('conversation/resume', { conversationId, readOnly: true })
    await loseLog(nats, conversationId)

    await expect(client.request('conversation/resume', { conversationId })).rejects.toThrow(
      `parley store copy --to ${url()}`,
    )
    expect(await run(one, ['copy', '--to', url(), conversationId])).toMatchObject({ code: 0, counts: { copied: 1 } })
    expect(await store.lists.row(conversationId)).toEqual(row)
    await client.request('conversation/resume', { conversationId })
    const there = await client.watch(conversationId)
    expect((await there.approval()).id).toBe(asked.id)
    await there.decide('approved')
    await there.turnEnded()
    await second.close()

    await loseLog(nats, conversationId)
    const third = await other.start({ store }).connect()
    await third.request('conversation/delete', { conversationId })
    expect(await store.lists.row(conversationId)).toBeNull()
    await store[Symbol.asyncDispose]()
  })

  test('takes along what files had, and tells what is missing or damaged there', async () => {
    await using one = testPlace()
    await using other = testPlace()
    one.write('a.txt', 'one\n')
    const steps = [{ calls: [{ name: 'shell', args: { command: 'echo two > a.txt' } }] }, { text: 'ok' }]
    const { watched, server } = await one.talk({ model: scriptedModel(...steps) }, { sandbox: 'danger-full-access' })
    await watched.send('go')
    await watched.turnEnded()
    await server.close()
    const { conversationId } = watched
    expect(await run(one, ['copy', '--to', url(), conversationId])).toMatchObject({ counts: { copied: 1 } })
    expect(await run(other, ['copy', '--from', url(), conversationId])).toMatchObject({ counts: { copied: 1 } })
    const client = await other.start().connect()
    await client.request('conversation/resume', { conversationId })
    const plan = await client.request('conversation/rewind/plan', { conversationId, to: 1 })
    expect([plan.changes.map(({ path }) => path), plan.left]).toEqual([['a.txt'], []])

    await using store = await open()
    const copy = localCopy(one, conversationId)
    expect((await store.copies.compare(copy)).badFiles).toEqual([])
    const lost = 'f'.repeat(64)
    const withLost = { ...copy.contents, namedIn: () => ({ hashes: [lost], lists: [] }) }
    expect((await store.copies.compare({ ...copy, contents: withLost })).badFiles).toEqual([])
    const kept = { ...withLost, read: () => Buffer.from('kept') }
    const { badFiles } = await store.copies.compare({ ...copy, contents: kept })
    expect(badFiles).toEqual([{ name: `content-${lost}`, where: 'store' }])
  })

  test('copies all of them although nobody reads what it prints any more', async () => {
    await using one = testPlace()
    const ids = Array.from({ length: 3 }, (_, n) => longLog(one, n))
    const args = [bundledProgram('store-program'), 'copy', '--to', url(), '--all', '--json']
    const child = spawn(process.execPath, args, { env: envOf(one), stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.destroy()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(await run(one, ['verify', '--store', url(), '--all'])).toMatchObject({ counts: { 'the same': ids.length } })
  })

  test('goes on where it was killed, and sends nothing twice', async () => {
    await using one = testPlace()
    await using other = testPlace()
    const ids = Array.from({ length: 5 }, (_, n) => longLog(one, n))
    const program = bundledProgram('store-program')
    const args = [program, 'copy', '--to', url(), '--all', '--json']
    const child = spawn(process.execPath, args, { env: envOf(one), stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')

    expect(await run(one, ['copy', '--to', url(), '--all'])).toMatchObject({ code: 0 })
    const store = await open()
    for (const id of ids) {
      const { stored, here } = await store.copies.compare(localCopy(one, id))
      expect(stored).toEqual(here)
    }
    await store[Symbol.asyncDispose]()
    expect(await run(other, ['copy', '--from', url(), '--all'])).toMatchObject({ counts: { copied: ids.length } })
  })

  test('goes on in the middle of a log, which no server lists before it is whole', async () => {
    await using one = testPlace()
    const id = longLog(one, 1)
    const whole = readFileSync(one.path(id))
    const half = whole.lastIndexOf('\n', whole.length / 2) + 1
    const copy = localCopy(one, id)
    const store = await open()
    writeFileSync(one.path(id), whole.subarray(0, half))
    const shipment = await store.take(copy, 'own')
    shipment.wrote(half)
    await shipment.acknowledged(half)
    await shipment.close()
    // A killed copy has written no mark, since it was not at the end.
    rmSync(copy.acked)
    writeFileSync(one.path(id), whole)
    expect(await store.lists.row(id)).toBeNull()
    expect(await run(one, ['copy', '--to', url(), id])).toMatchObject({ counts: { copied: 1 } })
    expect(await store.lists.row(id)).not.toBeNull()
    const { stored, here } = await store.copies.compare(copy)
    expect(stored).toEqual(here)
    expect(readFileSync(one.path(id)).equals(whole)).toBe(true)
    await store[Symbol.asyncDispose]()
  })

  test('refuses a target that has another line, and says which', async () => {
    await using one = testPlace()
    await using other = testPlace()
    const id = longLog(one, 1)
    await run(one, ['copy', '--to', url(), id])
    await run(other, ['copy', '--from', url(), id])
    const before = readFileSync(other.path(id), 'utf8')
    const changed = before.replace('text 7 ', 'text 8 ')
    writeFileSync(other.path(id), changed)
    for (const args of [
      ['copy', '--to', url(), id],
      ['copy', '--from', url(), id],
    ]) {
      const refused = await run(other, args)
      expect(refused).toMatchObject({ code: 11, counts: { refused: 1 } })
      expect(refused.output).toContain('Line 8 is another one here than in the store')
    }
    expect(readFileSync(other.path(id), 'utf8')).toBe(changed)
    expect(await run(other, ['verify', '--store', url(), id])).toMatchObject({ code: 11, counts: { differs: 1 } })
    const store = await open()
    const client = await other.start({ store }).connect()
    await expect(client.request('conversation/resume', { conversationId: id })).rejects.toThrow('parley store verify')
    expect(readFileSync(other.path(id), 'utf8')).toBe(changed)
    await store[Symbol.asyncDispose]()
  })

  test('brings a log that went on without the store back into it', async () => {
    await using one = testPlace()
    const id = longLog(one, 1)
    await run(one, ['copy', '--to', url(), id])
    await run(one, ['copy', '--from', url(), id])
    appendFileSync(one.path(id), `${lineAt(40)}\n`)
    const here = expect.stringContaining('this machine has 1 more lines')
    expect(await run(one, ['verify', '--store', url(), id])).toMatchObject({ code: 0, output: here })
    expect(await run(one, ['copy', '--to', url(), id])).toMatchObject({ counts: { copied: 1 } })
    expect(await run(one, ['verify', '--store', url(), id])).toMatchObject({ counts: { 'the same': 1 } })
  })

  test('says what a store that was set back has lost, and brings it back from a copy', async () => {
    await using one = testPlace()
    const id = longLog(one, 1)
    await run(one, ['copy', '--to', url(), id])
    await run(one, ['copy', '--from', url(), id])
    await nats.kill(0)
    const backup = join(one.root, 'backup')
    cpSync(nats.folder(0), backup, { recursive: true })
    await nats.start(0)
    appendFileSync(one.path(id), `${lineAt(40)}\n`)
    await run(one, ['copy', '--to', url(), id])
    await nats.kill(0)
    rmSync(nats.folder(0), { recursive: true })
    cpSync(backup, nats.folder(0), { recursive: true })
    await nats.start(0)

    const verified = await run(one, ['verify', '--store', url(), '--all'])
    expect(verified).toMatchObject({ code: 11, counts: { differs: 1 } })
    expect(verified.output).toContain('The store has lost the last 39.3 KiB of it')
    expect(await run(one, ['copy', '--to', url(), id])).toMatchObject({ code: 0, counts: { copied: 1 } })
    expect(await run(one, ['verify', '--store', url(), id])).toMatchObject({ code: 0, counts: { 'the same': 1 } })
  })

  test('names a side file that is lost on either side', async () => {
    await using one = testPlace()
    const [id = ''] = recordedLogs.filter(({ name }) => name === 'rich').map((log) => placeLog(one, log))
    await run(one, ['copy', '--to', url(), id])
    const [name = ''] = namesIn(one.path(id, 'sideFiles'))
    appendFileSync(join(one.path(id, 'sideFiles'), name), 'x')
    const verified = await run(one, ['verify', '--store', url(), '--all'])
    expect(verified).toMatchObject({ code: 11, counts: { differs: 1 } })
    expect(verified.output).toContain(`the first of them here: ${name}`)
  })
})

/** Removes the messages of a conversation from the store, as if a server of it had lost them. */
async function loseLog({ addresses }: NatsServers, conversationId: string): Promise<void> {
  const [host = '', port = ''] = addresses[0]?.split(':') ?? []
  const socket = createConnection(Number(port), host)
  const requests = Array.from({ length: 8 }, (_, shard) => {
    const filter = JSON.stringify({ filter: `parley.log.${shard}.${conversationId}` })
    return `PUB $JS.API.STREAM.PURGE.PARLEY_LOG_${shard} answers ${filter.length}\r\n${filter}\r\n`
  })
  socket.write(['CONNECT {"verbose":false}\r\n', 'SUB answers 1\r\n', ...requests].join(''))
  let answers = 0
  for await (const chunk of socket) {
    answers += String(chunk).split('"success":true').length - 1
    if (answers >= requests.length) break
  }
}

async function run(place: TestPlace, args: readonly string[]) {
  let output = ''
  const code = await runStore(args, envOf(place), { write: (text) => (output += text) })
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  const counts = Object.fromEntries(
    last.split(', ').map((part) => [part.replace(/ \d+$/, ''), Number(part.split(' ').at(-1))]),
  )
  return { code, output, counts }
}

function envOf({ root }: TestPlace): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: root, PARLEY_HOME: join(root, '.parley') }
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

function localCopy(place: TestPlace, conversationId: string) {
  const log = place.path(conversationId)
  return {
    conversationId,
    log,
    sideFiles: place.path(conversationId, 'sideFiles'),
    acked: log.replace('.jsonl', '.acked'),
    contents: keptContents(join(place.root, '.parley', 'snapshots')),
  }
}

function lineAt(seq: number): string {
  const text = `text ${seq} ${'x'.repeat(40_000)}`
  const settings = { ...initialState('c').core.settings, model: 'm1', modelProvider: 'fake' }
  const event: ConversationEvent =
    seq === 1
      ? { type: 'conversation.created', cwd: '/work', settings, program: 'parley 0.1.0' }
      : {
          type: 'item.completed',
          turnId: 't1',
          item: { id: `i${seq}`, type: 'agentMessage', title: 'Answer', text, status: 'completed' },
        }
  return encodeLine({ seq, at: 1_700_000_000_000 + seq, event }).text
}

/** Puts a log of 1.5 MB, which takes several messages, into a place, and returns its id. */
function longLog(place: TestPlace, n: number): string {
  const id = `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`
  mkdirSync(dirname(place.path(id)), { recursive: true, mode: 0o700 })
  const lines = Array.from({ length: 39 }, (_, index) => lineAt(index + 1))
  place.writeLog(id, [encodeHeader(newHeader(id)), ...lines])
  return id
}
