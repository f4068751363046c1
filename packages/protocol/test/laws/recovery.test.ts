import { type ConversationState, type Envelope, isCall, recover } from '@parley/protocol'
import { conversationEvent } from '@parley/protocol/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { continued, cutStreams, eventStreams, fold } from './event-stream.ts'

/** Any log: cut anywhere, and in the second kind with lines lost from its middle. */
const cutLogs = cutStreams.map(({ before }) => before)
const damagedLogs = fc
  .tuple(eventStreams, fc.infiniteStream(fc.nat(9)))
  .map(([{ envelopes }, chance]): Envelope[] => envelopes.filter(() => Number(chance.next().value) > 0))

describe('recover', () => {
  it('leaves nothing open but what waits for a person, wherever the log was cut', () => {
    fc.assert(fc.property(cutLogs, (log) => expectOnlyWaiting(recovered(fold(log)))))
  })

  it('leaves nothing open but what waits for a person, whatever lines were lost', () => {
    fc.assert(fc.property(damagedLogs, (log) => expectOnlyWaiting(recovered(fold(log)))))
  })

  it('has nothing to do after itself', () => {
    fc.assert(
      fc.property(fc.oneof(cutLogs, damagedLogs), (log) => {
        expect(recover(recovered(fold(log)))).toEqual([])
      }),
    )
  })

  it('says only what the schema allows', () => {
    fc.assert(
      fc.property(fc.oneof(cutLogs, damagedLogs), (log) => {
        for (const event of recover(fold(log))) expect(conversationEvent.parse(event)).toEqual(event)
      }),
    )
  })

  it('keeps every approval of a log that only was cut, with its answer', () => {
    fc.assert(
      fc.property(cutLogs, (log) => {
        const state = fold(log)
        expect(recovered(state).core.approvals).toEqual(state.core.approvals)
      }),
    )
  })

  it('keeps the inbox and lists every denial of a turn it ends', () => {
    fc.assert(
      fc.property(cutLogs, (log) => {
        const state = fold(log)
        const { core } = recovered(state)
        expect(core.inbox).toEqual(state.core.inbox)
        const ending = recover(state).find((event) => event.type === 'turn.ended')
        const declined = Object.values(state.core.open).filter(
          ({ item, began }) => item.status === 'declined' && !began,
        )
        if (ending !== undefined) {
          const listed = ending.denials.map(({ itemId }) => itemId)
          expect(listed).toEqual([
            ...(state.core.turn?.denials ?? []).map(({ itemId }) => itemId),
            ...declined.map(({ item }) => item.id),
          ])
        }
      }),
    )
  })
})

describe('law 7: at most once', () => {
  it('recovery starts nothing and approves nothing', () => {
    fc.assert(
      fc.property(fc.oneof(cutLogs, damagedLogs), (log) => {
        const events = recover(fold(log))
        const types = new Set<string>(events.map(({ type }) => type))
        expect([...types].filter((type) => !settling.has(type))).toEqual([])
        expect(events.filter((event) => event.type === 'approval.decided' && event.decision !== 'withdrawn')).toEqual(
          [],
        )
      }),
    )
  })

  it('what was begun and did not report becomes unknown', () => {
    fc.assert(
      fc.property(cutLogs, (log) => {
        const state = fold(log)
        const asks = new Set(Object.values(state.core.approvals).map(({ itemId }) => itemId))
        const begun = Object.values(state.core.open).filter(({ item, began }) => began && !asks.has(item.id))
        const unknown = closedBy(state).filter(({ status, type }) => status === 'unknown' && type !== 'shellCommand')
        expect(unknown.map(({ id }) => id)).toEqual(begun.map(({ item }) => item.id))
      }),
    )
  })

  it('a call whose answer was no is never left to run', () => {
    fc.assert(
      fc.property(cutLogs, (log) => {
        const left = Object.values(recovered(fold(log)).core.open)
        expect(left.filter(({ item }) => item.status === 'declined')).toEqual([])
      }),
    )
  })
})

describe('law 9: the next model request follows from a log cut anywhere', () => {
  it('every call that recovery closes says what the model is told of it', () => {
    fc.assert(
      fc.property(fc.oneof(cutLogs, damagedLogs), (log) => {
        for (const item of closedBy(fold(log)).filter(isCall))
          expect(item).toHaveProperty('modelText', expect.any(String))
      }),
    )
  })
})

const settling = new Set(['item.completed', 'approval.decided', 'turn.parked', 'turn.ended'])

function recovered(state: ConversationState): ConversationState {
  return fold(continued(state, recover(state)), state)
}

function closedBy(state: ConversationState) {
  return recover(state).flatMap((event) => (event.type === 'item.completed' ? [event.item] : []))
}

function expectOnlyWaiting({ core }: ConversationState): void {
  const { turn } = core
  const open = Object.values(core.open)
  const approvals = Object.values(core.approvals)
  if (turn === null) {
    expect(open).toEqual([])
    expect(approvals).toEqual([])
    return
  }
  expect(turn.parked).toBe(true)
  expect(approvals.length).toBeGreaterThan(0)
  for (const { itemId } of approvals) expect(Object.keys(core.open)).toContain(itemId)
  for (const { item, began, turnId } of open) {
    expect(isCall(item)).toBe(true)
    expect(turnId).toBe(turn.id)
    expect(!began || approvals.some(({ itemId }) => itemId === item.id)).toBe(true)
  }
}
