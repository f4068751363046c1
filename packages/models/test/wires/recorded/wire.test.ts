import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { type ModelClient, type ModelEntry, type ModelEvent, zeroUsage } from '../../../src/port/model-client.ts'
import { createRecorder } from '../../../src/wires/recorded/recorder.ts'
import { createRecordedClient, type RecordedOptions } from '../../../src/wires/recorded/wire.ts'
import { collect, failureOf, requestOf, response, result, user } from '../../support/requests.ts'

const say = (text: string): ModelEvent => ({ type: 'textDone', part: 't', text })
const call = (callId: string): ModelEvent => ({ type: 'call', part: callId, callId, name: 'shell', arguments: '{}' })

const DEMO = [
  { id: 'hello', events: [say('I will run it.'), call('c1')] },
  { id: 'ran', when: { call: 'shell', outcome: 'ok' }, events: [say('It ran.')] },
  { id: 'broke', when: { call: 'c1', outcome: 'failed' }, events: [say('It failed.')] },
  { id: 'refused', when: { call: 'shell', outcome: 'denied' }, events: [say('As you like.')] },
  { id: 'noted', when: { call: 'shell', outcome: 'deniedWithNote' }, events: [say('Noted.')] },
  { id: 'more', events: [say('And more.')] },
]

function player(lines: readonly object[], more: Partial<RecordedOptions> = {}): ModelClient {
  const read = () => lines.map((line) => JSON.stringify(line)).join('\n')
  return createRecordedClient({ read, mode: 'lenient', paced: false, ...more })
}

/** Plays one response and adds it to the conversation, as the engine would. */
async function turn(client: ModelClient, entries: ModelEntry[]): Promise<string> {
  const events = await collect(client, requestOf(entries))
  const last = events.at(-1)
  if (last?.type !== 'completed') throw new Error(`not completed: ${JSON.stringify(last)}`)
  const text = events.flatMap((event) => (event.type === 'textDone' ? [event.text] : [])).join('')
  const calls = events.flatMap((event) => (event.type === 'call' ? [event] : []))
  entries.push(response({ adapter: client.adapter, parts: last.parts, text, calls }))
  return text
}

describe('lenient play', () => {
  it.each([
    ['ok', result('c1', 'exit 0'), 'It ran.'],
    ['failed', result('c1', 'exit 1', true), 'It failed.'],
    ['interrupted', result('c1', 'Not run: the user interrupted the turn.', true), 'It failed.'],
    ['denied', result('c1', 'Not run: the user denied this.', true), 'As you like.'],
    ['denied with a note', result('c1', 'Not run: the user denied this and says: use npm', true), 'Noted.'],
  ])('answers a call that ended as %s with the response for it', async (_how, end, expected) => {
    const client = player(DEMO)
    const entries = [user('hi')]
    expect(await turn(client, entries)).toBe('I will run it.')
    entries.push(end)
    expect(await turn(client, entries)).toBe(expected)
  })

  it('continues at the right place in a conversation that was resumed by another process', async () => {
    const entries = [user('hi')]
    await turn(player(DEMO), entries)
    const resumed: ModelEntry[] = JSON.parse(JSON.stringify([...entries, result('c1')]))
    expect(await turn(player(DEMO), resumed)).toBe('It ran.')
    expect(await turn(player(DEMO), [...resumed, user('go on')])).toBe('And more.')
  })

  it('plays a response again whose turn was interrupted before it was complete', async () => {
    const client = player(DEMO)
    const entries = [user('hi')]
    await collect(client, requestOf(entries))
    expect(await turn(client, entries)).toBe('I will run it.')
  })

  it('answers a denial with a note like any denial where the recording has no response for the note', async () => {
    const client = player(DEMO.filter(({ id }) => id !== 'noted'))
    const entries = [user('hi')]
    await turn(client, entries)
    entries.push(result('c1', 'Not run: the user denied this and says: no', true))
    expect(await turn(client, entries)).toBe('As you like.')
  })

  it('falls back to the next in order, then to otherwise, then says that the recording ends', async () => {
    const lines = [{ id: 'a', events: [say('One.')] }]
    const entries = [user('hi')]
    const client = player(lines)
    expect(await turn(client, entries)).toBe('One.')
    expect(await turn(client, entries)).toBe('The recording ends here.')
    const withOtherwise = player([{ id: 'x', otherwise: true, events: [say('Hm.')] }, ...lines])
    const others = [user('hi')]
    expect(await turn(withOtherwise, others)).toBe('One.')
    expect(await turn(withOtherwise, others)).toBe('Hm.')
    expect(await turn(withOtherwise, others)).toBe('Hm.')
  })

  it('leaves out responses that broke off when they were recorded', async () => {
    const failed = { type: 'failed', failure: { code: 'streamCut', message: '', retry: 'short' } }
    const client = player([
      { id: 'a', events: [say('Ha'), failed] },
      { id: 'b', events: [say('Half.')] },
    ])
    expect(await turn(client, [user('hi')])).toBe('Half.')
  })

  it.each([
    ['not JSON', '{oops'],
    ['an unknown event', '{"id":"a","events":[{"type":"dance"}]}'],
    ['an id used twice', '{"id":"a","events":[]}\n{"id":"a","events":[]}'],
  ])('of a recording with %s fails and names the line', async (_what, text) => {
    const client = createRecordedClient({ read: () => text, mode: 'lenient', paced: false })
    const failure = failureOf(await collect(client))
    expect(failure).toMatchObject({ code: 'recordingUnreadable', retry: 'never' })
    expect(failure.message).toMatch(/line \d/)
  })

  it('of a file that cannot be read fails and says why', async () => {
    const read = () => Promise.reject(new Error('no such file'))
    const failure = failureOf(await collect(createRecordedClient({ read, mode: 'lenient', paced: false })))
    expect(failure).toMatchObject({ code: 'recordingUnreadable' })
    expect(failure.message).toContain('no such file')
  })
})

describe('paced play', () => {
  it('streams a text word by word and waits before it', async () => {
    const waits: number[] = []
    const sleep = async (delayMs: number) => void waits.push(delayMs)
    const client = player([{ id: 'a', delayMs: 500, events: [say('I will run it.')] }], { paced: true, sleep })
    const events = await collect(client)
    const deltas = events.flatMap((event) => (event.type === 'textDelta' ? [event.text] : []))
    expect(deltas).toEqual(['I ', 'will ', 'run ', 'it.'])
    expect(events.at(-2)).toEqual(say('I will run it.'))
    expect(waits[0]).toBe(500)
    expect(waits).toHaveLength(4)
  })

  it('ends at once when it is aborted', async () => {
    const stop = new AbortController()
    const client = player([{ id: 'a', delayMs: 3_600_000, events: [say('Hi')] }], { paced: true })
    const collected = collect(client, requestOf(), stop.signal)
    stop.abort()
    expect(await collected).toEqual([{ type: 'aborted' }])
  })
})

describe('a recorder', () => {
  const streamed: ModelEvent[] = [
    { type: 'textDelta', part: 't', text: 'I will ' },
    { type: 'textDelta', part: 't', text: 'run it.' },
    say('I will run it.'),
    { type: 'callDelta', part: 'c1', name: 'shell', argumentBytes: 0 },
    call('c1'),
    {
      type: 'completed',
      parts: [{ secret: 'x' }],
      usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 2, reasoningTokens: 0 },
      stop: 'stop',
    },
  ]

  const same = (text: string) => text

  function clientThatStreams(events: readonly ModelEvent[]): ModelClient {
    return {
      adapter: 'fake/1',
      stream: () =>
        (async function* () {
          yield* events
        })(),
      listModels: async () => ({ type: 'models', models: [] }),
    }
  }

  async function recordTurns(path: string, count: number): Promise<ModelEntry[][]> {
    const options = {
      path,
      redact: same,
      newId: () => randomUUID(),
      onProblem: (error: unknown) => expect.fail(String(error)),
    }
    const client = createRecorder(clientThatStreams(streamed), options)
    const entries: ModelEntry[] = [user('hi')]
    const requests: ModelEntry[][] = []
    for (let turnNumber = 0; turnNumber < count; turnNumber += 1) {
      requests.push([...entries])
      await turn(client, entries)
      entries.push(result('c1', `result ${turnNumber}`))
    }
    return requests
  }

  it('passes events on and writes them with joined deltas to a file that only its owner can read', async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, 'recording.jsonl')
    const options = { path, redact: same, newId: () => 'r1', onProblem: () => expect.fail() }
    expect(await collect(createRecorder(clientThatStreams(streamed), options))).toEqual(streamed)
    const line = JSON.parse(readFileSync(path, 'utf8'))
    expect(line.events).toEqual([say('I will run it.'), call('c1'), streamed.at(-1)])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('keeps the text of a response that broke off, and writes one that its reader left', async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, 'recording.jsonl')
    const options = { path, redact: same, newId: () => 'r1', onProblem: () => expect.fail() }
    const signal = new AbortController().signal
    let seen = 0
    for await (const _ of createRecorder(clientThatStreams(streamed), options).stream(requestOf(), signal)) {
      seen += 1
      if (seen === 2) break
    }
    expect(JSON.parse(readFileSync(path, 'utf8')).events).toEqual([
      { type: 'textDelta', part: 't', text: 'I will run it.' },
      { type: 'aborted' },
    ])
  })

  it('that cannot write reports it and passes events on', async () => {
    const problems: unknown[] = []
    const options = {
      path: '/dev/null/recording',
      newId: () => 'r1',
      redact: same,
      onProblem: (error: unknown) => problems.push(error),
    }
    expect(await collect(createRecorder(clientThatStreams(streamed), options))).toEqual(streamed)
    expect(problems).toHaveLength(1)
  })

  it('writes raw reasoning and a full context window, which play gives back', async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, 'recording.jsonl')
    const events: readonly ModelEvent[] = [
      { type: 'reasoningDone', part: 'reasoning-0', text: 'Hm so', raw: true },
      { type: 'completed', parts: [], usage: zeroUsage, stop: 'context' },
    ]
    const options = { path, redact: same, newId: () => 'r1', onProblem: () => expect.fail() }
    await collect(createRecorder(clientThatStreams(events), options))
    const played = createRecordedClient({ read: () => readFileSync(path, 'utf8'), mode: 'strict', paced: false })
    expect(await collect(played)).toMatchObject([events[0], { type: 'completed', stop: 'context' }])
    const paced = createRecordedClient({
      read: () => readFileSync(path, 'utf8'),
      mode: 'strict',
      paced: true,
      sleep: () => Promise.resolve(),
    })
    expect((await collect(paced)).slice(0, 2)).toEqual([
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'Hm ', raw: true },
      { type: 'reasoningDelta', part: 'reasoning-0', text: 'so', raw: true },
    ])
  })

  it('writes a recording that strict play accepts for the same requests', async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, 'recording.jsonl')
    await recordTurns(path, 3)
    const client = createRecordedClient({ read: () => readFileSync(path, 'utf8'), mode: 'strict', paced: false })
    const entries: ModelEntry[] = [user('hi')]
    for (let turnNumber = 0; turnNumber < 3; turnNumber += 1) {
      expect(await turn(client, entries)).toBe('I will run it.')
      entries.push(result('c1', `result ${turnNumber}`))
    }
    expect(await turn(client, entries)).toBe('The recording ends here.')
  })

  it.each([
    ['model', { model: 'other' }],
    ['effort', { effort: 'high' }],
    ['outputSchema', { outputSchema: { type: 'object' } }],
    ['instructions', { instructions: 'Be long.' }],
    ['tools', { tools: [] }],
    ['entries[0]', { entries: [user('hello?')] }],
    ['entries[1]', { entries: [user('hi'), user('more')] }],
  ])('writes a recording that strict play rejects when %s differs', async (field, change) => {
    await using directory = await tempDirectory()
    const path = join(directory.path, 'recording.jsonl')
    await recordTurns(path, 1)
    const client = createRecordedClient({ read: () => readFileSync(path, 'utf8'), mode: 'strict', paced: false })
    const failure = failureOf(await collect(client, requestOf([user('hi')], change)))
    expect(failure).toMatchObject({ code: 'recordingMismatch', retry: 'never' })
    expect(failure.message).toContain(`${field} differs`)
  })

  it('writes a recording that strict play rejects at the first different result', async () => {
    await using directory = await tempDirectory()
    const path = join(directory.path, 'recording.jsonl')
    await recordTurns(path, 3)
    const client = createRecordedClient({ read: () => readFileSync(path, 'utf8'), mode: 'strict', paced: false })
    const entries: ModelEntry[] = [user('hi')]
    await turn(client, entries)
    entries.push(result('c1', 'another result'))
    expect(failureOf(await collect(client, requestOf(entries))).message).toContain('entries[2] differs')
  })
})
