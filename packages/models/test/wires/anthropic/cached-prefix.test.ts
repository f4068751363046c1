import { createMessagesCache } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ModelEntry } from '../../../src/port/model-client.ts'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { requestOf, response, result, textWriter, user } from '../../support/requests.ts'

const adapter = 'own'

/** Returns one turn: rounds of so many parallel calls, each with its reasoning, text and results. */
function turnOf(rounds: number, parallel: number): readonly ModelEntry[] {
  const all = Array.from({ length: rounds }, (_, round) => {
    const ids = Array.from({ length: parallel }, (_, nth) => `toolu_${round}_${nth}`)
    const calls = ids.map((id) => ({ type: 'tool_use', id, name: 'shell', input: { command: `cat ${id}` } }))
    const thinking = { type: 'thinking', thinking: `Round ${round}`, signature: `sealed-${round}` }
    const parts = [thinking, { type: 'text', text: `Looking, ${round}.` }, ...calls]
    const called = ids.map((callId) => ({ callId, name: 'shell', arguments: '{}' }))
    return [response({ adapter, parts, calls: called }), ...ids.map((id) => result(id, `output of ${id}\n`.repeat(20)))]
  })
  return [user('Mend the test.'), ...all.flat()]
}

/** Entries of each request of a turn: those before the first response, the second, and so on. */
function requestsOf(entries: readonly ModelEntry[]): readonly (readonly ModelEntry[])[] {
  const ends = entries.flatMap(({ kind }, index) => (kind === 'response' ? [index] : []))
  return [...ends, entries.length].map((end) => entries.slice(0, end))
}

function bodiesOf(entries: readonly ModelEntry[]): readonly string[] {
  const write = textWriter(anthropicWire.createWriter(adapter))
  return requestsOf(entries).map((part) => write(requestOf(part, { model: 'claude-sonnet-5' })))
}

describe('the cache of the Messages API', () => {
  it.each([
    [50, 1],
    [10, 5],
    [4, 12],
    [3, 25],
    [2, 60],
  ])('reads all but the newest part of each request, in %i rounds of %i calls', (rounds, parallel) => {
    const cache = createMessagesCache()
    const uses = bodiesOf(turnOf(rounds, parallel)).map((body) => cache.take(body))
    for (const [index, use] of uses.entries()) {
      const before = uses[index - 1]
      expect(use.cachedBlocks).toBe(before?.totalBlocks ?? 0)
      expect(use.cachedBytes).toBe(before?.totalBytes ?? 0)
    }
    // Each byte is read anew once, however many requests repeat it.
    const readAnew = uses.reduce((sum, { totalBytes, cachedBytes }) => sum + totalBytes - cachedBytes, 0)
    expect(readAnew).toBe(uses.at(-1)?.totalBytes)
  })

  it('reads what came before from the cache in the next turn, and after messages that were not answered', () => {
    const cache = createMessagesCache()
    const write = textWriter(anthropicWire.createWriter(adapter))
    const take = (entries: readonly ModelEntry[]) => cache.take(write(requestOf(entries, { model: 'claude-sonnet-5' })))
    const answered = [...turnOf(3, 2), response({ adapter, parts: [{ type: 'text', text: 'Done.' }] })]
    for (const part of requestsOf(answered.slice(0, -1))) take(part)
    const before = take(answered.slice(0, -1))
    const next = take([...answered, user('And now?')])
    expect(next.cachedBlocks).toBe(before.totalBlocks)
    const corrected = take([...answered, user('And now?'), user('No, wait.')])
    expect(corrected.cachedBlocks).toBe(next.totalBlocks)
  })

  it('is given marks beside what is kept serialised, so that moving them changes nothing before them', () => {
    const bodies = bodiesOf(turnOf(30, 3))
    const unmarked = bodies.map((body) => body.replaceAll(',"cache_control":{"type":"ephemeral"}', ''))
    for (const [index, body] of unmarked.entries()) {
      const shorter = unmarked[index - 1]?.replace(/[\]}]+$/, '') ?? ''
      expect(body.startsWith(shorter)).toBe(true)
    }
    expect(bodies.every((body) => body.split('"cache_control"').length - 1 <= 4)).toBe(true)
  })
})
