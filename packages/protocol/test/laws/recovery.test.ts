import { type ConversationState, type Envelope, isCall, recover, reduce } from '@parley/protocol'
import { conversationEvent } from '@parley/protocol/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { continued, eventStreams, fold } from './event-stream.ts'

const soundLogs = eventStreams.map(({ envelopes }) => envelopes)
/** With lines lost from anywhere, as bad sectors and hand edits do it. */
const damagedLogs = fc
  .tuple(eventStreams, fc.infiniteStream(fc.nat(9)))
  .map(([{ envelopes }, chance]) => envelopes.filter(() => Number(chance.next().value) > 0))
const anyLogs = fc.oneof(soundLogs, damagedLogs)

describe('recover', () => {
  it('leaves nothing open but what waits for a person, wherever the log was cut', () => {
    atEveryCut(soundLogs, (state) => expectOnlyWaiting(recovered(state)))
  })

  it('leaves nothing open but what waits for a person, whatever lines were lost', () => {
    atEveryCut(damagedLogs, (state) => expectOnlyWaiting(recovered(state)))
  })

  it('returns nothing for a recovered state', () => {
    atEveryCut(anyLogs, (state) => {
      expect(recover(recovered(state))).toEqual([])
    })
  })

  it('returns only events that the schema allows', () => {
    atEveryCut(anyLogs, (state) => {
      for (const event of recover(state)) expect(conversationEvent.parse(event)).toEqual(event)
    })
  })

  it('keeps inbox and approvals of a log that only was cut, but no question of what ran', () => {
    atEveryCut(soundLogs, (state) => {
      const { core } = recovered(state)
      expect(core.inbox).toEqual(state.core.inbox)
      const kept = Object.entries(state.core.approvals).filter(([, { kind }]) => kind !== 'elicitation')
      expect(core.approvals).toEqual(Object.fromEntries(kept))
    })
  })

  it('leaves open what runs elsewhere, with its turn', () => {
    atEveryCut(soundLogs, (state) => {
      const { turn, open } = state.core
      const started = Object.values(open).filter(
        ({ executionStarted, turnId }) => executionStarted && turnId === turn?.id,
      )
      const runningOn = new Set(started.map(({ item }) => item.id))
      const { core } = fold(continued(state, recover(state, true, runningOn)), state)
      for (const { item } of started) expect(core.open[item.id]).toMatchObject({ executionStarted: true })
      if (started.length > 0) expect(core.turn?.id).toBe(turn?.id)
      else expect(recover(state, true, runningOn)).toEqual(recover(state, true))
    })
  })

  it('lists every denial of a turn that it ends', () => {
    atEveryCut(soundLogs, (state) => {
      const ending = recover(state).find((event) => event.type === 'turn.ended')
      const before = (state.core.turn?.denials ?? []).map(({ itemId }) => itemId)
      const denied = closedBy(state).flatMap(({ id, status }) => (status === 'denied' ? [id] : []))
      if (ending !== undefined) expect(ending.denials.map(({ itemId }) => itemId)).toEqual([...before, ...denied])
    })
  })
})

describe('calls run at most once', () => {
  it('recovery starts nothing and approves nothing', () => {
    atEveryCut(anyLogs, (state) => {
      for (const event of recover(state)) {
        expect(['item.completed', 'approval.decided', 'turn.parked', 'turn.ended']).toContain(event.type)
        if (event.type === 'approval.decided') expect(event.decision).toBe('withdrawn')
      }
    })
  })

  it('what was begun and did not report becomes unknown', () => {
    atEveryCut(soundLogs, (state) => {
      const again = Object.values(state.core.approvals).filter(({ kind }) => kind !== 'elicitation')
      const asking = new Set(again.map(({ itemId }) => itemId))
      const begun = Object.values(state.core.open).filter(
        ({ item, executionStarted }) => executionStarted && !asking.has(item.id),
      )
      const unknown = closedBy(state).filter((item) => isCall(item) && item.status === 'unknown')
      expect(unknown.map(({ id }) => id)).toEqual(begun.map(({ item }) => item.id))
    })
  })

  it('a call whose answer was no is never left to run', () => {
    atEveryCut(anyLogs, (state) => {
      const left = Object.values(recovered(state).core.open)
      expect(left.filter(({ item }) => item.status === 'denied')).toEqual([])
    })
  })
})

describe('a log cut anywhere gives the next model request', () => {
  it('every call that recovery closes says what the model is told of it', () => {
    atEveryCut(anyLogs, (state) => {
      for (const item of closedBy(state).filter(isCall)) expect(item).toHaveProperty('modelText', expect.any(String))
    })
  })
})

function atEveryCut(logs: fc.Arbitrary<Envelope[]>, check: (state: ConversationState) => void): void {
  fc.assert(
    fc.property(logs, (log) => {
      let state = fold([])
      for (const one of log) {
        state = reduce(state, one)
        check(state)
      }
    }),
  )
}

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
  for (const { item, executionStarted, turnId } of open) {
    expect(isCall(item)).toBe(true)
    expect(turnId).toBe(turn.id)
    expect(!executionStarted || approvals.some(({ itemId }) => itemId === item.id)).toBe(true)
  }
}
