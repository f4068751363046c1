import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { withChecksum } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { placeLog, recordedLogs } from '../support/recorded-logs.ts'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const released = join(import.meta.dirname, '../../fixtures/replays')
const demos = readdirSync(released).filter((name) => name.endsWith('.jsonl'))

async function replay(place: TestPlace, params: { readonly file?: string; readonly conversation?: string }) {
  const client = await place.start().connect()
  return client.request('replay/run', params)
}

/** Copies a released log and changes its lines. */
function changed(place: TestPlace, name: string, change: (line: string) => string | null): string {
  const file = join(place.root, name)
  const stem = name.replace(/\.jsonl$/, '')
  cpSync(join(released, `${stem}.files`), join(place.root, `${stem}.files`), { recursive: true })
  const lines = readFileSync(join(released, name), 'utf8').trimEnd().split('\n')
  const kept = lines.map(change).filter((line) => line !== null)
  writeFileSync(file, kept.map((line) => `${resealed(line)}\n`).join(''))
  return file
}

function resealed(line: string): string {
  return withChecksum(`${line.slice(0, line.lastIndexOf(',"crc":'))}}`).text
}

describe('the engine replays', () => {
  it.each(demos)('the log %s of a released version, with every request', async (name) => {
    await using place = testPlace()
    const replayed = await replay(place, { file: join(released, name) })
    expect(replayed).toMatchObject({ difference: null, unhashed: 0 })
    // Only fields that were added since may be left out of the comparison.
    for (const note of replayed.notes) expect(note).toContain('An earlier program wrote the log')
    expect(replayed.hashes).toBeGreaterThan(1)
    expect(replayed.compared).toBeGreaterThan(replayed.events / 2)
  })

  it.each(recordedLogs)('the log $name of version $version', async (log) => {
    await using place = testPlace()
    const conversation = placeLog(place, log)
    const before = readFileSync(place.path(conversation), 'utf8')
    const { difference, compared } = await replay(place, { conversation })
    expect(difference).toBeNull()
    expect(compared).toBeGreaterThan(3)
    expect(readFileSync(place.path(conversation), 'utf8')).toBe(before)
  })

  it('a conversation with questions of the model, a plan that is sent back and one that is taken up', async () => {
    await using place = testPlace()
    const ask = { calls: [{ name: 'ask_user', args: { questions: [{ header: 'Name', text: 'Which?' }] } }] }
    const propose = { calls: [{ name: 'propose_plan', args: { title: 'Make it', steps: ['touch it'] } }] }
    const model = scriptedModel(ask, ask, propose, propose, { text: 'Done.' })
    const planMode = { sandbox: 'read-only', approvalPolicy: 'on-request' } as const
    const { server, client, watched } = await place.talk({ model }, planMode)
    const { conversationId } = watched
    await watched.send('go')
    const answers = [
      { decision: 'approved', answers: { q1: 'ada' } },
      { decision: 'denied' },
      { decision: 'denied', note: 'smaller' },
      { decision: 'approved', answers: { mode: 'edit' } },
    ] as const
    const answered = new Set<string>()
    for (const answer of answers) {
      const { id: approvalId } = await watched.until(({ core }) =>
        Object.values(core.approvals).find(({ id, state }) => state === 'pending' && !answered.has(id)),
      )
      answered.add(approvalId)
      await client.request('approval/decide', { conversationId, approvalId, ...answer })
    }
    await watched.turnEnded()
    await server.close()
    expect(watched.state.core.settings.sandbox).toBe('workspace-write')
    const replayed = await replay(place, { conversation: conversationId })
    expect(replayed).toMatchObject({ difference: null, notes: [] })
    expect(replayed.hashes).toBe(5)
  })

  it('a conversation with a question, a denial and a resume', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'touch one' } }] },
      { text: 'Denied.' },
      { calls: [{ name: 'shell', args: { command: 'touch two' } }] },
      { text: 'Done.' },
      { text: 'Again.' },
    )
    const { server, client, summary, watched } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    const { conversationId } = summary
    for (const decision of ['denied', 'approved'] as const) {
      await watched.send('go on')
      await watched.until(({ core }) => Object.values(core.approvals).some(({ state }) => state === 'pending'))
      const [approval] = Object.values(watched.state.core.approvals)
      await client.request('approval/decide', { conversationId, approvalId: approval?.id ?? '', decision })
      await watched.turnEnded()
    }
    await server.close()
    const again = await place.start({ model }).connect()
    await again.request('conversation/resume', { conversationId })
    const resumed = await again.watch(conversationId)
    await resumed.send('and again')
    await resumed.turnEnded()
    expect(await again.request('replay/run', { conversation: conversationId })).toMatchObject({
      difference: null,
      hashes: 5,
      unhashed: 0,
    })
  })

  it('a conversation whose files were taken back, and talk after that', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\n')
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch'
    const model = scriptedModel(
      { calls: [{ name: 'apply_patch', args: { patch } }] },
      { text: 'Done.' },
      { text: 'Fine.' },
    )
    const { client, summary, watched } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    const { conversationId } = summary
    await watched.send('go')
    await watched.turnEnded()
    const { hash } = await client.request('conversation/rewind/plan', { conversationId, to: 1 })
    await client.request('conversation/rewind', { conversationId, to: 1, hash })
    expect(place.read('a.txt')).toBe('one\n')
    await watched.send('and now?')
    await watched.turnEnded()
    const replayed = await client.request('replay/run', { conversation: conversationId })
    expect(replayed).toMatchObject({ difference: null, hashes: 3, unhashed: 0 })
  })
})

describe('a replay', () => {
  const [name = ''] = demos

  it('names the first event that differs, and where', async () => {
    await using place = testPlace()
    const file = changed(place, name, (line) =>
      line.includes('"model.responded"') ? line.replace('"text":"This model is', '"text":"That model is') : line,
    )
    const { difference } = await replay(place, { file })
    expect(difference).toMatchObject({
      what: 'The log has another model.responded here than the replay.',
      path: 'text',
    })
    expect(difference?.logged).toContain('That model is')
    expect(difference?.replayed).toContain('This model is')
  })

  it.each([
    { title: 'goes on after a difference, and names a later one', changedTurns: [3, 15], named: 2 },
    {
      title: 'ends after twenty differences, and says how many events it has not seen',
      changedTurns: [...Array(22).keys()],
      named: 20,
    },
  ])('$title', async ({ changedTurns, named }) => {
    await using place = testPlace()
    const { watched, server } = await place.talk()
    for (let turn = 0; turn < 22; turn++) {
      await watched.send(`message ${turn}`)
      await watched.turnEnded()
    }
    await server.close()
    const file = join(place.root, 'changed.jsonl')
    cpSync(place.path(watched.conversationId, 'sideFiles'), join(place.root, 'changed.files'), { recursive: true })
    const [header = '', ...lines] = place.logLines(watched.conversationId)
    const ends = lines.flatMap((line, at) => (line.includes('"turn.ended"') ? [at] : []))
    const wrong = new Set(changedTurns.map((turn) => ends[turn]))
    const written = lines.map((line, at) =>
      wrong.has(at) ? resealed(line.replace('"stopReason":"done"', '"stopReason":"failed"')) : line,
    )
    writeFileSync(file, [header, ...written].map((line) => `${line}\n`).join(''))
    const whole = await replay(place, { conversation: watched.conversationId })
    const { difference, further, left, compared } = await replay(place, { file })
    const differences = [difference, ...further].map((found) => found?.seq)
    expect(differences).toEqual([...wrong].slice(0, named).map((at) => (at ?? 0) + 1))
    expect({ ends: left === 0, compared: left === 0 ? whole.compared - named : compared }).toEqual({
      ends: named === changedTurns.length,
      compared,
    })
  })

  it('takes a field that no event of the log has for one that was added since, and names it', async () => {
    await using place = testPlace()
    const { difference, notes } = await replay(place, { file: join(released, 'demo-0.1.0.jsonl') })
    expect(difference).toBeNull()
    expect(notes.join()).toContain('item.kind')
  })

  it('misses a field that earlier events of the log have', async () => {
    await using place = testPlace()
    let seen = 0
    const file = changed(place, name, (line) =>
      line.includes('"item.started"') && line.includes('"tool":"read_file","readOnly":true,') && ++seen === 2
        ? line.replace('"readOnly":true,', '')
        : line,
    )
    expect((await replay(place, { file })).difference).toMatchObject({
      path: 'item.readOnly',
      logged: '',
      replayed: 'true',
    })
  })

  it('finds an outcome that was changed by the hash of the request after it', async () => {
    await using place = testPlace()
    const file = changed(place, name, (line) =>
      line.includes('"item.completed"') ? line.replace('"modelText":"', '"modelText":"not ') : line,
    )
    expect((await replay(place, { file })).difference).toMatchObject({
      what: 'The model was asked something else: the hash of the request differs.',
      path: 'request',
    })
  })

  it('finds an event that is missing', async () => {
    await using place = testPlace()
    const lines = readFileSync(join(released, name), 'utf8').split('\n')
    const started = lines.findIndex((line) => line.includes('"execution.started"'))
    const file = changed(place, name, (line) => (line === lines[started] ? null : line))
    expect((await replay(place, { file })).difference).toMatchObject({ path: 'type', replayed: '"execution.started"' })
  })

  it('rejects a file that is no log and no bundle', async () => {
    await using place = testPlace()
    place.write('a.txt', 'text')
    const wrong = (file: string) => expect(replay(place, { file })).rejects
    await wrong(join(place.cwd, 'a.txt')).toMatchObject({ data: { code: 'badBundle' } })
    await wrong(join(place.cwd, 'b.jsonl')).toMatchObject({ data: { code: 'invalidParams', field: 'file' } })
  })
})
