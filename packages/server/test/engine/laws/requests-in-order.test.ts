import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Talk, testPlace } from '../support/test-server.ts'

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const soak = Number.parseInt(process.env['PARLEY_SOAK'] ?? '', 10) || 0

type Sending = Omit<ParamsOf<'conversation/sendMessage'>, 'conversationId'>
type Asked =
  | { readonly kind: 'send'; readonly params: Sending }
  | { readonly kind: 'interrupt' | 'shell' | 'configure' }

const image = { type: 'image' as const, url: pixel }
const input = fc
  .tuple(fc.string({ maxLength: 8 }), fc.boolean())
  .map(([text, hasImage]) => [{ type: 'text' as const, text }, ...(hasImage ? [image] : [])])
const sends = fc
  .tuple(input, fc.constantFrom('now' as const, 'queue' as const, 'steer' as const), fc.boolean())
  .map(([content, when, hasSchema]): Asked => {
    const schema = hasSchema && when !== 'steer' ? { outputSchema: { type: 'object' } } : {}
    return { kind: 'send', params: { input: content, when, ...schema } }
  })
const others = fc.constantFrom('interrupt', 'interrupt', 'shell', 'configure').map((kind): Asked => ({ kind }) as Asked)
const requests = fc.array(fc.oneof(sends, others), { minLength: 2, maxLength: 14 })

type Answer =
  | { readonly kind: 'sent'; readonly sent: ResultOf<'conversation/sendMessage'> }
  | { readonly kind: 'recorded'; readonly seq: number }
  | { readonly kind: 'interrupt'; readonly interrupted: boolean }
  | { readonly kind: 'refused'; readonly code: unknown }

/** Sends a request without waiting for any before it. */
async function ask({ client, watched }: Talk, asked: Asked, index: number): Promise<Answer> {
  const { conversationId } = watched
  try {
    switch (asked.kind) {
      case 'send':
        return {
          kind: 'sent',
          sent: await client.request('conversation/sendMessage', { conversationId, ...asked.params }),
        }
      case 'shell':
        return {
          kind: 'recorded',
          ...(await client.request('conversation/runShell', { conversationId, command: ':' })),
        }
      case 'configure': {
        const settings = { effort: `e${index}` }
        return { kind: 'recorded', ...(await client.request('conversation/configure', { conversationId, settings })) }
      }
      case 'interrupt':
        return { kind: 'interrupt', ...(await client.request('conversation/interrupt', { conversationId })) }
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { kind: 'refused', code: error.data?.['code'] }
  }
}

function interruptedTurns(answers: readonly Answer[]): number {
  let isOpen = false
  let count = 0
  for (const { kind } of answers) {
    if (kind === 'interrupt' && isOpen) count += 1
    if (kind === 'sent') isOpen = true
    if (kind === 'interrupt') isOpen = false
  }
  return count
}

function endingsOf({ watched }: Talk): number[] {
  return watched.events.flatMap(({ seq, event }) => (event.type === 'turn.ended' ? [seq] : []))
}

/** Runs the same requests one after the other on paper: turns end by interrupts only, since the model never ends. */
function expectInOrder(asked: readonly Asked[], answers: readonly Answer[], endings: readonly number[]): void {
  let last = 0
  let isOpen = false
  let ended = 0
  for (const [index, answer] of answers.entries()) {
    const request = asked[index]
    const found = { index, isOpen, request, answer }
    if (answer.kind === 'sent') {
      expect(found).toMatchObject({ isOpen: answer.sent.disposition !== 'started' })
      isOpen = true
    }
    if (answer.kind === 'refused') expect(found).toMatchObject({ isOpen: true, answer: { code: 'turnInProgress' } })
    if (answer.kind === 'interrupt' && isOpen) {
      expect(answer.interrupted).toBe(true)
      isOpen = false
      const at = endings[ended++] ?? 0
      expect({ ...found, at }).toMatchObject({ at: expect.toSatisfy((seq: number) => seq > last) })
      last = at
    }
    const seq = answer.kind === 'sent' ? answer.sent.seq : answer.kind === 'recorded' ? answer.seq : null
    // A setting that changes before the first message has no event.
    if (seq === null || seq === 0) continue
    expect({ ...found, seq }).toMatchObject({ seq: expect.toSatisfy((one: number) => one > last) })
    last = seq
  }
}

describe('requests of a client for one conversation', () => {
  it('take effect in the order they were sent, none of them awaited', { timeout: 600_000 }, async () => {
    const property = fc.asyncProperty(requests, async (asked) => {
      await using place = testPlace()
      const model = scriptedModel(...asked.map(() => ({ text: 'a', hang: true })))
      const talk = await place.talk({ model })
      const answers = await Promise.all(asked.map((one, index) => ask(talk, one, index)))
      const wanted = interruptedTurns(answers)
      await talk.watched.until(() => endingsOf(talk).length >= wanted)
      expectInOrder(asked, answers, endingsOf(talk))
    })
    const runs = soak === 0 ? { numRuns: 15, seed: 14_005 } : { numRuns: soak }
    await fc.assert(property, runs)
  })

  it('begin a turn of their own behind an interrupt, as steering too', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'half', hang: true }, { text: 'whole' })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    await watched.send('one')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    const text = [{ type: 'text' as const, text: 'two' }]
    const [interrupted, sent] = await Promise.all([
      client.request('conversation/interrupt', { conversationId }),
      client.request('conversation/sendMessage', { conversationId, input: text, when: 'steer' }),
    ])
    expect(interrupted).toEqual({ interrupted: true })
    expect(sent.disposition).toBe('started')
    await watched.until(({ core }) => core.turn === null && core.counts.turns === 2)
    expect(watched.state.core).toMatchObject({ inbox: [], lastTurn: { outcome: 'completed' } })
  })

  it('follow a resume that is under way', async () => {
    await using place = testPlace()
    const first = await place.talk()
    const { conversationId } = first.watched
    await first.watched.send('one')
    await first.watched.turnEnded()
    await first.server.close()
    const client = await place.start().connect()
    const input = [{ type: 'text' as const, text: 'two' }]
    const [summary, { cursor }, sent] = await Promise.all([
      client.request('conversation/resume', { conversationId }),
      client.request('conversation/stream', { conversationId }),
      client.request('conversation/sendMessage', { conversationId, input }),
    ])
    expect(summary.conversationId).toBe(conversationId)
    expect(sent.seq).toBeGreaterThan(cursor.seq)
  })
})

describe('a request with a key, sent again', () => {
  const marked = (place: ReturnType<typeof testPlace>) => place.read('ran').split('\n').length - 1

  it('runs its command once, here and after a restart', async () => {
    await using place = testPlace()
    const { client, server, watched } = await place.talk()
    const { conversationId } = watched
    const params = { conversationId, command: 'echo x >> ran', requestKey: 'k1' }
    const results = await Promise.all([1, 2, 3].map(() => client.request('conversation/runShell', params)))
    expect(new Set(results.map(({ itemId, seq }) => `${itemId} ${seq}`)).size).toBe(1)
    await watched.until((state) => state.window.find(({ item }) => item.id === results[0]?.itemId))
    await server.close()

    const next = await place.start().connect()
    await next.request('conversation/resume', { conversationId })
    expect(await next.request('conversation/runShell', params)).toEqual(results[0])
    const other = await next.request('conversation/runShell', { ...params, requestKey: 'k2' })
    const later = await next.watch(conversationId)
    await later.until((state) => state.window.find(({ item }) => item.id === other.itemId))
    expect(marked(place)).toBe(2)
    const input = [{ type: 'text' as const, text: 'hi' }]
    expect(await next.refused('conversation/sendMessage', { conversationId, messageId: 'k1', input })).toMatchObject({
      code: 'invalidParams',
      detail: { field: 'messageId' },
    })
  })

  it('compacts once and forks once', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    const compactions = [1, 2].map(() => client.request('conversation/compact', { conversationId, requestKey: 'c' }))
    const [once, again] = await Promise.all(compactions)
    expect(again).toEqual(once)
    await watched.until(({ core }) => core.turn === null && core.counts.turns === 2)
    const forks = [1, 2].map(() => client.request('conversation/fork', { conversationId, requestKey: 'f' }))
    const [copy, same] = await Promise.all(forks)
    expect(same?.conversationId).toBe(copy?.conversationId)
  })
})
