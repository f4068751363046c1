import { readFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { encodeLine } from '@parley/journal'
import { type ConversationState, initialState, reduce } from '@parley/protocol'
import { deliveredEnvelope } from '@parley/protocol/schema'
import { describe, expect, it } from 'vitest'
import { placeLog, recordedLogs } from '../support/recorded-logs.ts'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const current = 2
const all = recordedLogs.map((log) => [`${log.name} of version ${log.version}`, log] as const)
const olderLogs = all.filter(([, { version }]) => version < current)
const named = (name: string) => all.filter(([, log]) => log.name === name)

/** All events of a conversation, as `conversation/readEvents` gives them. */
async function eventsOf(client: TestClient, conversationId: string) {
  const { events, more } = await client.request('conversation/readEvents', {
    conversationId,
    after: { seq: 0 },
    limit: 1000,
  })
  expect(more).toBe(false)
  return events.map((event) => deliveredEnvelope.parse(event))
}

const coreOf = ({ core: { approvals, ...core } }: ConversationState) => core

async function opened(place: TestPlace, log: (typeof recordedLogs)[number], answers = [{ text: 'Back.' }]) {
  const conversationId = placeLog(place, log)
  const server = place.start({ model: scriptedModel(...answers) })
  const client = await server.connect()
  const summary = await client.request('conversation/resume', { conversationId })
  return { conversationId, server, client, summary, watched: await client.watch(conversationId) }
}

describe('a recorded log', () => {
  it.each(all)(
    '(%s) is delivered in the present version, and a client folds the state of the server',
    async (_, log) => {
      await using place = testPlace()
      const conversationId = placeLog(place, log)
      const before = readFileSync(place.path(conversationId), 'utf8')
      const client = await place.start().connect()
      await client.request('conversation/resume', { conversationId, readOnly: true })
      const { state, cursor } = await client.watch(conversationId)
      const events = await eventsOf(client, conversationId)
      const forkedFrom = state.core.meta.forkedFrom
      const folded = events.reduce(
        (folding, event) => reduce(folding, event as Parameters<typeof reduce>[1]),
        initialState(conversationId, forkedFrom),
      )
      expect(coreOf(folded)).toEqual(coreOf(state))
      expect(folded.window).toEqual(state.window)
      expect(events.at(-1)).toMatchObject(cursor)
      const crcs = before.split('\n').flatMap((line) => /"crc":"(\w+)"\}$/.exec(line)?.[1] ?? [])
      expect(events.map(({ crc }) => crc)).toEqual(crcs.slice(1))
      expect(readFileSync(place.path(conversationId), 'utf8')).toBe(before)
    },
  )

  it.each(all)('(%s) can be forked, and the fork can be resumed and continued', async (_, log) => {
    await using place = testPlace()
    const conversationId = placeLog(place, log)
    const first = place.start({ model: scriptedModel({ text: 'On.' }) })
    const client = await first.connect()
    const fork = await client.request('conversation/fork', { conversationId })
    await first.close()
    const server = place.start({ model: scriptedModel({ text: 'On.' }) })
    const again = await server.connect()
    await again.request('conversation/resume', { conversationId: fork.conversationId })
    const watched = await again.watch(fork.conversationId)
    await watched.send('go on')
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ text: 'On.' })
    const events = await eventsOf(again, fork.conversationId)
    const upgrades = events.filter(({ event }) => event.type === 'conversation.upgraded')
    expect(upgrades.map(({ event }) => event)).toEqual(
      log.version < current ? [{ type: 'conversation.upgraded', from: log.version, to: current }] : [],
    )
    const copied = place.logLines(conversationId).slice(1, fork.forkedFrom?.seq)
    expect(place.logLines(fork.conversationId).slice(1, fork.forkedFrom?.seq)).toEqual(copied)
  })

  it.each(all)('(%s) is listed, and its calls can be explained and replayed', async (_, log) => {
    await using place = testPlace()
    const conversationId = placeLog(place, log)
    const client = await place.start().connect()
    const { conversations } = await client.request('conversation/list', {})
    expect(conversations).toMatchObject([{ conversationId, cwd: place.cwd }])
    const { items } = await client.request('conversation/read', { conversationId })
    expect(items.map(({ item }) => item.status)).not.toContain('declined')
    await client.request('policy/replay', { conversation: conversationId })
  })
})

describe('a log of an earlier version', () => {
  it.each(olderLogs)('(%s) continues after one upgrade event and keeps its lines', async (_, log) => {
    await using place = testPlace()
    const { server, conversationId, watched, client } = await opened(place, log)
    const before = place.logLines(conversationId)
    await client.request('conversation/rename', { conversationId, name: 'kept' })
    await watched.until(({ core }) => core.meta.name === 'kept')
    const state = watched.state
    await server.close()
    const lines = place.logLines(conversationId)
    expect(lines.slice(1, before.length)).toEqual(before.slice(1))
    expect(lines.filter((line) => line.includes('"conversation.upgraded"'))).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ format: log.version, minReader: current })
    const again = await place.start().connect()
    await again.request('conversation/resume', { conversationId, readOnly: true })
    const { core } = (await again.watch(conversationId)).state
    expect(core).toMatchObject({ digest: state.core.digest, counts: state.core.counts, settings: state.core.settings })
  })

  it.each(olderLogs.filter(([, { name }]) => name === 'denied-call'))(
    '(%s) is not changed by being opened',
    async (_, log) => {
      await using place = testPlace()
      const { server, conversationId } = await opened(place, log)
      const before = place.logLines(conversationId)
      await server.close()
      expect(place.logLines(conversationId)).toEqual(before)
      expect(JSON.parse(before[0] ?? '')).toMatchObject({ minReader: log.version })
    },
  )

  it('is read and continued when its header is lost', async () => {
    await using place = testPlace()
    const conversationId = placeLog(place, { version: 1, name: 'denied-call' })
    place.writeLog(conversationId, ['rubbish', ...place.logLines(conversationId).slice(1)])
    const client = await place.start({ model: scriptedModel({ text: 'Back.' }) }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    expect(watched.items()[1]).toMatchObject({ status: 'denied' })
    await watched.send('go on')
    await watched.turnEnded()
    expect(
      (await eventsOf(client, conversationId)).filter(({ event }) => event.type === 'conversation.upgraded'),
    ).toHaveLength(1)
  })
})

describe('a log that an earlier program copied from a newer one', () => {
  it('is read to its end when that program appended its own events, and none of its calls runs again', async () => {
    await using place = testPlace()
    const conversationId = placeLog(place, { version: 1, name: 'unknown-call' })
    const lines = place.logLines(conversationId)
    const at = lines.findIndex((line) => line.includes('"usage.updated"'))
    const event = { type: 'conversation.upgraded', from: 1, to: current }
    const copied = encodeLine({ seq: at, at: 1, event }).text
    place.writeLog(conversationId, lines.with(at, copied))
    const client = await place.start({ model: scriptedModel({ text: 'Back.' }) }).connect()
    const recovered = async () => (await client.request('conversation/resume', { conversationId })).recovered
    expect([await recovered(), await recovered()]).toEqual(Array(2).fill(expect.stringContaining('end unknown')))
    const watched = await client.watch(conversationId)
    expect(watched.items()[1]).toMatchObject({ status: 'unknown' })
    await watched.send('go on')
    await watched.turnEnded()
    expect(await recovered()).toBeNull()
    const upgrades = (await eventsOf(client, conversationId)).filter(({ event: { type } }) => type === event.type)
    expect(upgrades).toHaveLength(2)
  })
})

describe('a log of a later version', () => {
  it('opens read-only when its header is damaged and an event names the later version', async () => {
    await using place = testPlace()
    const conversationId = placeLog(place, { version: current, name: 'denied-call' })
    const [, ...events] = place.logLines(conversationId)
    const upgraded = JSON.stringify({
      seq: events.length + 1,
      at: 1,
      event: { type: 'conversation.upgraded', from: 2, to: 3 },
    })
    place.writeLog(conversationId, ['rubbish', ...events, upgraded])
    const client = await place.start().connect()
    const { readOnly, warnings } = await client.request('conversation/resume', { conversationId })
    expect({ readOnly, warnings }).toEqual({ readOnly: true, warnings: [expect.stringContaining('newer parley')] })
  })
})

describe('a resumed recorded log restores its state:', () => {
  it.each(named('pending-approval'))('%s', async (_, log) => {
    await using place = testPlace()
    const { watched, summary } = await opened(place, log)
    expect(summary).toMatchObject({ activity: 'parked', settings: { sandbox: 'workspace-write', enforcement: 'none' } })
    expect(await watched.approval()).toMatchObject({ kind: 'command', title: 'touch made' })
    await watched.decide('denied', 'no')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'denied', decision: { answer: 'denied', note: 'no' } })
    expect(() => place.read('made')).toThrow()
  })

  it.each(named('approved-not-started'))('%s', async (_, log) => {
    await using place = testPlace()
    const { watched } = await opened(place, log)
    const { open, approvals, turn } = watched.state.core
    expect(Object.values(open)).toMatchObject([{ executionStarted: false }])
    expect(Object.values(approvals)).toMatchObject([{ state: 'approved' }])
    expect(turn?.parked).toBe(true)
    expect(() => place.read('made')).toThrow()
  })

  it.each(named('unknown-call'))('%s', async (_, log) => {
    await using place = testPlace()
    const { watched, summary } = await opened(place, log)
    expect(watched.items()[1]).toMatchObject({ status: 'unknown', output: { head: 'one\n' } })
    expect(summary.recovered).toMatch(/unknown|whether/)
  })

  it.each(named('retried-command'))('%s', async (_, log) => {
    await using place = testPlace()
    const { watched } = await opened(place, log)
    expect(watched.items()[1]).toMatchObject({ status: 'completed', attempt: 2 })
    expect(Object.values(watched.state.core.open)).toMatchObject([
      { executionStarted: false, failedExecution: { exitCode: 3 } },
    ])
    await watched.decide('denied')
    await watched.turnEnded()
    const failed = watched.items().findLast(({ type }) => type === 'commandExecution')
    expect(failed).toMatchObject({
      status: 'failed',
      exitCode: 3,
      sandboxBlock: { paths: [expect.stringContaining('.git')], network: false },
    })
  })

  it.each(named('denied-call'))('%s', async (_, log) => {
    await using place = testPlace()
    const { watched } = await opened(place, log)
    expect(watched.items()[1]).toMatchObject({ status: 'denied', decision: { note: 'use mkdir' } })
  })

  it.each(named('mcp-tools'))('%s', async (_, log) => {
    await using place = testPlace()
    const { watched } = await opened(place, log)
    expect(watched.items()[1]).toMatchObject({ tool: 'mcp__ugly__echo', status: 'completed', title: 'ugly: echo' })
    expect(await watched.approval()).toMatchObject({ kind: 'mcpTool', title: 'ugly: echo' })
    expect(watched.state.core.context).toMatchObject({ sessionContext: expect.stringContaining('sha256:') })
  })

  it.each(named('full-access'))('%s', async (_, log) => {
    await using place = testPlace()
    const { client, conversationId, watched } = await opened(place, log)
    expect(watched.state.core.settings).toMatchObject({ sandbox: 'workspace-write', enforcement: 'none' })
    const [first] = await eventsOf(client, conversationId)
    expect(first?.event).toMatchObject({ settings: { sandbox: 'danger-full-access', enforcement: 'none' } })
  })

  it.each(named('session-grants'))('%s', async (_, log) => {
    await using place = testPlace()
    const { watched } = await opened(place, log)
    const calls = watched.items().filter(({ type }) => type === 'commandExecution')
    expect(calls).toMatchObject([
      { decision: { answer: 'approvedForSession' } },
      { decision: { rule: { name: 'builtin:session-grant' } } },
    ])
  })

  it.each(named('torn-tail'))('%s', async (_, log) => {
    await using place = testPlace()
    const { summary, watched } = await opened(place, log)
    expect(summary.recovered).toContain('an unfinished last line')
    expect(
      watched
        .items()
        .map(({ text }) => text)
        .slice(0, 4),
    ).toEqual(['one', 'A', 'two', 'B'])
  })

  it.each(named('fork'))('%s', async (_, log) => {
    await using place = testPlace()
    const { summary, watched } = await opened(place, log)
    expect(summary.forkedFrom).toMatchObject({ seq: 18 })
    expect(watched.items()).toMatchObject([{}, { text: 'A' }, {}, { status: 'denied' }])
  })
})
