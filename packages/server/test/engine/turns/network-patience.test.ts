import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const away = { code: 'unreachable', message: 'Cannot reach Fake.', retry: 'short', network: true } as const
const cut = { code: 'streamCut', message: 'The connection was lost.', retry: 'short' } as const
const certificate = { code: 'tls', message: 'Not trusted.', retry: 'never', network: true } as const
const tries = (count: number, failure: object = away) => Array.from({ length: count }, () => ({ failure }))

/** Clock whose time passes by its sleeps. */
function sleepingClock() {
  const clock = testClock()
  return { ...clock, elapsed: () => clock.now() }
}

function configure(place: TestPlace, line: string): void {
  const file = join(place.root, '.parley', 'config.toml')
  const config = '[model_providers.fake]\nbase_url = "http://127.0.0.1:9/v1"\n'
  writeFileSync(file, `model_provider = "fake"\nmodel = "m1"\n${line}\n${config}`)
}

/** Runs one turn of a window, or of a script. */
async function turn(place: TestPlace, steps: readonly Step[], by: 'window' | 'script' = 'window') {
  const model = scriptedModel(...steps)
  const clock = sleepingClock()
  const server = place.start({ clock, model })
  const client = await server.connect('test', by === 'window' ? { capabilities: ['approvals', 'limits'] } : {})
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const watched = await client.watch(conversationId)
  await watched.send('go')
  await watched.turnEnded()
  const retries = watched.events.flatMap(({ event }) => (event.type === 'retry.scheduled' ? [event] : []))
  return { model, clock, server, client, watched, retries, end: watched.state.core.lastTurn }
}

describe('a network that is away', () => {
  it('is waited for in a window with growing pauses, and the turn goes on', async () => {
    await using place = testPlace()
    const { end, model, retries } = await turn(place, [...tries(12), { text: 'Back.' }])
    expect(end).toMatchObject({ outcome: 'completed' })
    expect(model.requests).toHaveLength(13)
    expect(retries.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 12 }, (_, index) => index + 2))
    expect(retries.every(({ network, attempts }) => network === true && attempts === undefined)).toBe(true)
  })

  it('ends the turn of a window once the patience is used up, with one try at its end', async () => {
    await using place = testPlace()
    const { end, clock } = await turn(place, tries(200))
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'unreachable' } })
    const waited = clock.sleeps.filter((ms) => ms <= 30_000).reduce((sum, ms) => sum + ms, 0)
    expect(waited).toBeGreaterThan(590_000)
    expect(waited).toBeLessThan(640_000)
  })

  it.each([
    ['as often as any request', '', 3],
    ['for as long as network_patience says', 'network_patience = "90s"', 12],
    ['as often as any request in a window with a patience of 0', 'network_patience = 0', 3],
  ])('is tried in a script %s', async (_how, line, most) => {
    await using place = testPlace()
    configure(place, line)
    const by = line.endsWith('0') ? 'window' : 'script'
    const { end, model } = await turn(place, tries(200), by)
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'unreachable' } })
    if (most === 3) expect(model.requests).toHaveLength(3)
    else expect(model.requests.length).toBeGreaterThanOrEqual(7)
    expect(model.requests.length).toBeLessThanOrEqual(most)
  })

  it('that comes back after a cut answer does not use up the tries of answers', async () => {
    await using place = testPlace()
    const { end, retries } = await turn(place, [
      { text: 'half', failure: cut },
      ...tries(8),
      { text: 'half', failure: cut },
      ...tries(8),
      { text: 'whole' },
    ])
    expect(end).toMatchObject({ outcome: 'completed' })
    expect(retries.filter(({ network }) => network === undefined).map(({ failure }) => failure.code)).toEqual([
      'streamCut',
      'streamCut',
    ])
  })

  it('may be another network, with a certificate of its own', async () => {
    await using place = testPlace()
    const { end } = await turn(place, [...tries(8, certificate), { text: 'Back.' }])
    expect(end).toMatchObject({ outcome: 'completed' })
    await using other = testPlace()
    const asScript = await turn(other, [...tries(8, certificate), { text: 'Back.' }], 'script')
    expect(asScript.end).toMatchObject({ outcome: 'failed', failure: { code: 'tls' } })
    expect(asScript.model.requests).toHaveLength(1)
  })

  it('is not waited for while another model can take over', async () => {
    await using place = testPlace()
    configure(place, 'fallback_models = ["m2"]')
    const { end, model } = await turn(place, [...tries(12), { text: 'Back.' }])
    expect(end).toMatchObject({ outcome: 'completed' })
    expect(model.requests.map((request) => request.model)).toEqual([
      ...Array.from({ length: 3 }, () => 'm1'),
      ...Array.from({ length: 10 }, () => 'm2'),
    ])
  })

  it('is tried at once when a person asks, and the log replays to the same', async () => {
    await using place = testPlace()
    const model = scriptedModel(...tries(6), { text: 'Back.' })
    const clock = sleepingClock()
    const server = place.start({ clock, model })
    const client = await server.connect('test', { capabilities: ['approvals', 'limits'] })
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    clock.holdSleeps()
    await watched.send('go')
    for (let attempt = 2; attempt <= 7; attempt++) {
      await watched.until(({ core }) => core.turn?.retry?.attempt === attempt)
      expect(watched.state.core.turn?.retry).toMatchObject({ network: true, failure: { code: 'unreachable' } })
      expect(await client.request('conversation/retryNow', { conversationId })).toEqual({ retried: true })
    }
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    await server.close()
    const replayed = await (await place.start().connect()).request('replay/run', { conversation: conversationId })
    expect(replayed).toMatchObject({ difference: null, notes: [] })
  })
})
