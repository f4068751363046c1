import { type Envelope, initialState, reduce } from '@parley/protocol'
import { envelope } from '@parley/protocol/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze, throughJson } from './deep-freeze.ts'
import { conversationId, eventStreams, fold } from './event-stream.ts'

describe('reduce and the engine', () => {
  it('agrees with the engine that wrote the events', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes, engine }) => {
        const { core } = fold(envelopes)
        const { turn, shells, inbox } = engine
        const calls = turn?.calls ?? []
        const open = [...(turn?.message ? [turn.message] : []), ...calls.map(({ item }) => item), ...shells]
        const asked = calls.filter(({ stage }) => ['asked', 'approved', 'asking'].includes(stage))
        expect(core.turn?.id).toBe(turn?.id)
        expect(core.turn?.parked ?? false).toBe(turn?.parked ?? false)
        expect(new Set(Object.keys(core.open))).toEqual(new Set(open.map(({ id }) => id)))
        expect(new Set(Object.keys(core.approvals))).toEqual(new Set(asked.map(({ approvalId }) => approvalId)))
        expect(core.inbox.map(({ messageId }) => messageId)).toEqual(inbox)
      }),
    )
  })

  it('gives equal states for equal events, now and later', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        expect(fold(throughJson(envelopes))).toEqual(fold(envelopes))
      }),
    )
  })

  it('never changes what it is given', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        const step = (state: ReturnType<typeof fold>, one: Envelope) => deepFreeze(reduce(state, deepFreeze(one)))
        const frozen = throughJson(envelopes).reduce(step, deepFreeze(initialState(conversationId)))
        expect(frozen).toEqual(fold(envelopes))
      }),
    )
  })

  it('keeps a paused inbox only while something waits in it', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        const { core } = fold(envelopes)
        expect(core.inboxPaused && core.inbox.length === 0).toBe(false)
      }),
    )
  })

  it('moves only seq on an unknown event, wherever it comes', () => {
    const strangers = fc.tuple(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()))
    fc.assert(
      fc.property(eventStreams, fc.nat(), strangers, ({ envelopes }, place, [name, fields]) => {
        const state = fold(envelopes.slice(0, place % (envelopes.length + 1)))
        const seq = state.core.seq + 1
        const event: unknown = { ...fields, type: `x-${name}` }
        const after = reduce(state, { conversationId, seq, at: 1, event } as Envelope) // no schema knows it
        expect(after).toEqual({ ...state, core: { ...state.core, seq } })
      }),
    )
  })

  it('carries fields that no schema knows', () => {
    fc.assert(
      fc.property(eventStreams, fc.jsonValue(), ({ envelopes }, extra) => {
        const marked = envelopes.map((one) => {
          const { event } = one
          return event.type === 'item.completed' ? { ...one, event: { ...event, item: { ...event.item, extra } } } : one
        })
        for (const { item } of fold(marked).window) expect(item).toHaveProperty('extra', extra)
      }),
    )
  })

  it('only has events that the schema allows, with every field known to it', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        for (const one of envelopes) expect(envelope.parse(one)).toEqual(one)
      }),
    )
  })
})
