import { type Envelope, reduce } from '@parley/protocol'
import { conversationState } from '@parley/protocol/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { throughJson } from './deep-freeze.ts'
import { continued, conversationId, cutStreams, eventStreams, fold } from './event-stream.ts'

describe('a client that catches up', () => {
  it('a snapshot through JSON and the rest of the events give the state of the whole fold', () => {
    fc.assert(
      fc.property(cutStreams, ({ before, after }) => {
        const snapshot = throughJson(fold(before))
        expect(fold(after, snapshot)).toEqual(fold([...before, ...after]))
      }),
    )
  })

  it('a client that missed nothing and one that attached anywhere have the same core', () => {
    fc.assert(
      fc.property(cutStreams, fc.nat(), ({ before, after }, kept) => {
        const snapshot = fold(before)
        const window = snapshot.window.slice(kept % (snapshot.window.length + 1))
        const late = fold(after, { core: snapshot.core, window })
        expect(late.core).toEqual(fold([...before, ...after]).core)
        expect(itemsOf([...before, ...after]).slice(-late.window.length || Infinity)).toEqual(
          late.window.map(({ item }) => item),
        )
      }),
    )
  })

  it('the window is a suffix of the completed items, at most 200 of them', () => {
    fc.assert(
      fc.property(eventStreams, fc.integer({ min: 150, max: 250 }), ({ envelopes }, extra) => {
        const state = fold(envelopes)
        const later = continued(
          state,
          Array.from({ length: extra }, (_, index) => notice(`n${index}`)),
        )
        const { core, window } = fold(later, state)
        const items = itemsOf([...envelopes, ...later])
        expect(window.map(({ item }) => item)).toEqual(items.slice(-200))
        expect(core.counts.items).toBe(items.length)
      }),
      { numRuns: 30 },
    )
  })

  it('events that come again change nothing', () => {
    fc.assert(
      fc.property(cutStreams, ({ before, after }) => {
        const state = fold(before)
        expect(fold(before, state)).toBe(state)
        expect(fold([...before, ...after], state)).toEqual(fold([...before, ...after]))
      }),
    )
  })

  it('a model response elided for clients gives the state of the whole one', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        expect(envelopes.map(elided).reduce(reduce, fold([]))).toEqual(fold(envelopes))
      }),
    )
  })

  it('the state is what its schema says, with every field known to it', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        const state = fold(envelopes)
        expect(conversationState.parse(state)).toEqual(state)
      }),
    )
  })
})

function itemsOf(envelopes: readonly Envelope[]) {
  return envelopes.flatMap(({ event }) => (event.type === 'item.completed' ? [event.item] : []))
}

function notice(id: string) {
  const item = { id, type: 'notice', status: 'completed', title: id, text: '', level: 'info', code: 'note' } as const
  return { type: 'item.completed', item } as const
}

function elided(one: Envelope): Envelope {
  if (one.event.type !== 'model.responded') return one
  const { type, turnId } = one.event
  return { ...one, conversationId, event: { type, turnId, elided: true } as unknown as Envelope['event'] } // as the wire has it
}
