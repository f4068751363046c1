import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import type { Cursor } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TestServer, testPlace } from '../support/test-server.ts'

/** Start of a client: new, with a cursor it had before, or with one that the log does not hold. */
type Coming = { readonly at: number; readonly with: 'nothing' | 'cursor' | 'lostTail' | 'future' }

/** Rounds of a flood: 4 MB, of which memory keeps a part. */
const rounds = 100

const coming: fc.Arbitrary<Coming> = fc.record({
  at: fc.nat(rounds - 1),
  with: fc.constantFrom('nothing', 'cursor', 'lostTail', 'future'),
})

/** Events that grow past what memory keeps, so that late readers are served from the log. */
async function flood(server: TestServer, conversationId: string, each: (n: number) => Promise<void>): Promise<void> {
  const { conversation } = server.engine.host.get(conversationId)
  const text = 'x'.repeat(20_000)
  for (let n = 0; n < rounds; n++) {
    await each(n)
    const item = { id: `i${n}`, type: 'agentMessage' as const, status: 'completed' as const, title: '', text: '' }
    conversation.record({ type: 'item.started', item: { ...item, status: 'inProgress' } })
    conversation.record({ type: 'item.delta', itemId: item.id, text })
    conversation.record({ type: 'item.completed', item: { ...item, text } })
    if (n % 7 === 0) await nextTurn()
  }
}

function cursorFor(kind: Coming['with'], first: Watched): Cursor | undefined {
  switch (kind) {
    case 'nothing':
      return undefined
    case 'cursor':
      return first.cursor
    case 'lostTail':
      return { ...first.cursor, crc: '00000000' }
    case 'future':
      return { seq: first.cursor.seq + 100_000, crc: 'ffffffff' }
  }
}

describe('catching up', () => {
  it('ends with the state of the server from any point of attachment', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(coming, { minLength: 1, maxLength: 6 }), async (comings) => {
        await using place = testPlace()
        const { server, watched: first } = await place.talk()
        const { conversationId } = first
        const attached: { kind: Coming['with']; isLost: boolean; watched: Promise<Watched> }[] = []
        await flood(server, conversationId, async (n) => {
          for (const { with: kind } of comings.filter(({ at }) => at === n)) {
            const late = await server.connect()
            const after = cursorFor(kind, first)
            const isLost = kind === 'future' || (kind === 'lostTail' && first.cursor.seq > 0)
            attached.push({ kind, isLost, watched: late.watch(conversationId, after) })
          }
        })
        const { core, window } = server.engine.host.get(conversationId).conversation.state
        const all = [...attached, { kind: 'nothing', isLost: false, watched: Promise.resolve(first) }]
        for (const { kind, isLost, watched: opening } of all) {
          const watched = await opening
          await watched.until((state) => state.core.seq === core.seq)
          expect(watched.reset).toBe(isLost)
          if (kind === 'cursor') continue
          expect(watched.state.core).toEqual(core)
          expect(watched.state.window.map(({ seq }) => seq)).toEqual(
            window.slice(-watched.state.window.length).map(({ seq }) => seq),
          )
        }
      }),
      { numRuns: 12 },
    )
  })

  it('from a cursor gives the same state as an unbroken stream', async () => {
    await using place = testPlace()
    const { server, watched: first } = await place.talk()
    const { conversationId } = first
    let cursor: Cursor = first.cursor
    let before = first.state
    await flood(server, conversationId, async (n) => {
      if (n !== 20) return
      await nextTurn()
      cursor = first.cursor
      before = first.state
    })
    const late = await server.connect()
    const watched = await late.watch(conversationId, cursor)
    await watched.until(({ core }) => core.seq === server.engine.host.get(conversationId).conversation.state.core.seq)
    const { reduce } = await import('@parley/protocol')
    expect(watched.events.reduce(reduce, before).core).toEqual(
      server.engine.host.get(conversationId).conversation.state.core,
    )
  })

  it('after unstream and stream gives every event once', async () => {
    await using place = testPlace()
    const { server, client, watched } = await place.talk()
    const { conversationId } = watched
    // Or it would be closed when it is left.
    await (await server.connect('other')).watch(conversationId)
    await flood(server, conversationId, async (n) => {
      if (n === 50) await client.request('conversation/unstream', { conversationId })
    })
    const head = server.engine.host.get(conversationId).conversation.state.core.seq
    expect(watched.cursor.seq).toBeLessThan(head)
    const again = await client.watch(conversationId, watched.cursor)
    await again.until(({ core }) => core.seq === head)
    expect(again.reset).toBe(false)
    expect(again.events[0]?.seq).toBe(watched.cursor.seq + 1)
  })
})
