import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { placeLog, recordedLogs } from '../support/recorded-logs.ts'
import { fullAccess, namesIn, type Talk, type TestPlace, testPlace } from '../support/test-server.ts'

const long = { name: 'shell', args: { command: 'seq 1 9999' } }

/** Writes a bundle of the conversation and opens it in another place. */
async function moved({ client, watched }: Pick<Talk, 'client' | 'watched'>, from: TestPlace, to: TestPlace) {
  const file = join(from.root, 'a.tar')
  const { conversationId: conversation } = watched
  const written = await client.request('bundle/write', { conversation, file })
  const there = await to.start().connect()
  const opened = await there.request('bundle/open', { file, cwd: to.cwd })
  return { written, there, opened, copy: await there.watch(opened.conversationId) }
}

describe('a bundle', () => {
  it('opens elsewhere with the same state, the same points to fork at, and goes on', async () => {
    await using here = testPlace()
    await using elsewhere = testPlace()
    const model = scriptedModel({ calls: [long] }, { text: 'A' })
    const talk = await here.talk({ model }, { sandbox: 'danger-full-access' })
    await talk.watched.send('one')
    await talk.watched.turnEnded()
    const { written, there, opened, copy } = await moved(talk, here, elsewhere)
    const { core } = talk.watched.state
    expect(written).toMatchObject({ seq: core.seq, digest: core.digest, turns: 1, changedEvents: 0, missing: [] })
    expect(opened).toMatchObject({
      cwd: elsewhere.cwd,
      turns: 1,
      forkedFrom: { id: core.meta.conversationId, seq: core.seq },
    })
    const texts = (lines: readonly string[]) =>
      lines.slice(1, core.seq + 1).filter((line) => !line.includes('"item.delta"'))
    expect(texts(elsewhere.logLines(opened.conversationId))).toEqual(texts(here.logLines(core.meta.conversationId)))
    const said = talk.watched.items().map(({ text }) => text)
    expect(
      copy
        .items()
        .slice(0, said.length)
        .map(({ text }) => text),
    ).toEqual(said)
    expect(
      namesIn(elsewhere.path(opened.conversationId, 'sideFiles')).filter((name) => name.startsWith('sha256-')),
    ).toEqual(namesIn(here.path(core.meta.conversationId, 'sideFiles')).filter((name) => name.startsWith('sha256-')))
    for (let at = 1; at <= core.seq; at++)
      expect(await there.request('conversation/fork', { conversationId: opened.conversationId, at })).toMatchObject({
        forkedFrom: { seq: at },
      })
    await copy.send('two')
    await copy.turnEnded()
    expect(copy.items().at(-1)).toMatchObject({ type: 'agentMessage' })
  })

  it('keeps its name where that is free, and gets one of its own where it is taken', async () => {
    await using here = testPlace()
    await using elsewhere = testPlace()
    const talk = await here.talk({ model: scriptedModel({ text: 'A' }) })
    const { conversationId } = talk.watched
    await talk.watched.send('one')
    await talk.watched.turnEnded()
    await talk.client.request('conversation/rename', { conversationId, name: 'plan' })
    const { written, there, copy } = await moved(talk, here, elsewhere)
    expect(copy.state.core.meta.name).toBe('plan')
    const again = await there.request('bundle/open', { file: written.file, cwd: elsewhere.cwd })
    expect(again.name).toBe('plan-fork')
  })

  it('brings no yes, no question, no waiting message and no added folder along', async () => {
    await using here = testPlace()
    await using elsewhere = testPlace()
    const added = join(here.root, 'added')
    mkdirSync(added)
    const calls = [{ name: 'shell', args: { command: 'touch made' } }]
    const talk = await here.talk({ model: scriptedModel({ calls }) }, { addDirs: [added], approvalPolicy: 'untrusted' })
    await talk.watched.send('one')
    await talk.watched.approval()
    await talk.watched.send('wait', { when: 'queue' })
    const { opened, copy } = await moved(talk, here, elsewhere)
    const { approvals, inbox, turn, open, settings } = copy.state.core
    expect({ approvals, inbox, turn, open }).toEqual({ approvals: {}, inbox: [], turn: null, open: {} })
    expect(settings.writableRoots).toEqual([])
    expect(copy.items()).toContainEqual(
      expect.objectContaining({ status: 'denied', modelText: expect.stringContaining('imported from a bundle') }),
    )
    expect(opened.cwd).toBe(elsewhere.cwd)
    // The original is as it was.
    expect(Object.keys(talk.watched.state.core.approvals)).toHaveLength(1)
  })

  it('of a conversation in an environment opens on this machine', async () => {
    await using here = testPlace()
    await using elsewhere = testPlace()
    const talk = await here.talk({ model: scriptedModel({ text: 'A' }) })
    await talk.watched.send('one')
    await talk.watched.turnEnded()
    const { conversationId } = talk.watched
    await talk.server.close()
    const lines = here.logLines(conversationId).map((line, nth) => {
      if (nth !== 1) return line
      const { crc: _crc, ...created } = JSON.parse(line)
      return JSON.stringify({
        ...created,
        event: { ...created.event, cwd: '/far', settings: { ...created.event.settings, environment: 'box' } },
      })
    })
    here.writeLog(conversationId, lines)
    const file = join(here.root, 'a.tar')
    await (await here.start().connect()).request('bundle/write', { conversation: conversationId, file })
    const there = await elsewhere.start().connect()
    const opened = await there.request('bundle/open', { file, cwd: elsewhere.cwd })
    expect(opened).toMatchObject({ cwd: elsewhere.cwd })
    expect(opened.settings).not.toHaveProperty('environment')
  })

  it('has marks for secrets that are known by now, in lines and in side files', async () => {
    await using here = testPlace()
    const value = 'correct-horse-battery-staple'
    const command = `seq 1 9999; echo ${value}`
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command } }] }, { text: `It is ${value}.` })
    const talk = await here.talk({ model }, { sandbox: 'danger-full-access' })
    await talk.watched.send('one')
    await talk.watched.turnEnded()
    const { conversationId } = talk.watched
    await talk.server.close()
    expect(here.logLines(conversationId).join('')).toContain(value)
    const server = here.start({ env: { MY_PASSWORD: value }, ceiling: fullAccess })
    const file = join(here.root, 'a.tar')
    const client = await server.connect()
    const { changedEvents } = await client.request('bundle/write', { conversation: conversationId, file })
    expect(changedEvents).toBeGreaterThan(1)
    const opened = await client.request('bundle/open', { file, cwd: here.cwd })
    expect(here.logLines(opened.conversationId).join('')).not.toContain(value)
    const folder = here.path(opened.conversationId, 'sideFiles')
    const contents = namesIn(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(contents.some((content) => content.includes('9999'))).toBe(true)
    expect(contents.join('')).not.toContain(value)
  })

  it('without outputs has the talk and the commands, and not what they printed', async () => {
    await using here = testPlace()
    const model = scriptedModel({ calls: [long, { name: 'shell', args: { command: 'echo printed' } }] }, { text: 'A' })
    const talk = await here.talk({ model }, { sandbox: 'danger-full-access' })
    await talk.watched.send('one')
    await talk.watched.turnEnded()
    const file = join(here.root, 'a.tar')
    const request = { conversation: talk.watched.conversationId, file, withoutOutputs: true }
    const { digest } = await talk.client.request('bundle/write', request)
    expect(digest).not.toBe(talk.watched.state.core.digest)
    const opened = await talk.client.request('bundle/open', { file, cwd: here.cwd })
    const text = here.logLines(opened.conversationId).join('')
    expect(text).toContain('seq 1 9999')
    expect(text).not.toMatch(/9998\\n|printed\\n/)
    const copy = await talk.client.watch(opened.conversationId)
    expect(copy.items().at(-1)).toMatchObject({ text: 'A' })
  })

  it.each(recordedLogs.map((log) => [`${log.name} of version ${log.version}`, log] as const))(
    'of %s opens with the state that it was written with',
    async (_name, log) => {
      await using place = testPlace()
      const conversation = placeLog(place, log)
      const client = await place.start().connect()
      const file = join(place.root, 'a.tar')
      await client.request('bundle/write', { conversation, file })
      const opened = await client.request('bundle/open', { file, cwd: place.cwd })
      const copy = await client.watch(opened.conversationId)
      const { turn, approvals } = copy.state.core
      expect({ turn, approvals }).toEqual({ turn: null, approvals: {} })
    },
  )
})

describe('a file that is no bundle', () => {
  it('is refused, and leaves nothing behind', async () => {
    await using place = testPlace()
    place.write('a.tar', 'no bundle')
    const client = await place.start().connect()
    const open = (file: string, cwd = place.cwd) => client.request('bundle/open', { file, cwd })
    await expect(open(join(place.cwd, 'a.tar'))).rejects.toMatchObject({ data: { code: 'badBundle' } })
    await expect(open(join(place.cwd, 'none.tar'))).rejects.toThrow('There is no file')
    await expect(open(join(place.cwd, 'a.tar'), '/no/folder')).rejects.toMatchObject({ data: { code: 'cwdMissing' } })
    expect((await client.request('conversation/list', {})).conversations).toEqual([])
  })
})
