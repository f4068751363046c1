import { type LogLine, newHeader } from '@parley/journal'
import { type ConversationEvent, type Envelope, type Item, initialState, reduce } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogReader } from '../../src/conversation/journal.ts'
import { createLogFold } from '../../src/conversation/log-fold.ts'

const conversationId = '01890a5d-ac96-774b-bcce-b302099a8057'

interface Move {
  readonly id: string
  readonly kind: 'start' | 'delta' | 'progress' | 'fail' | 'end' | 'other'
}

/** Events that may happen to a few items and beside them. An item starts once and before anything else is said of it. */
const moves = fc
  .array(
    fc.record<Move>({
      id: fc.constantFrom('i-1', 'i-2', 'i-3'),
      kind: fc.constantFrom('start', 'delta', 'delta', 'progress', 'fail', 'end', 'other'),
    }),
    { maxLength: 60 },
  )
  .map((list) => {
    const first = new Map(list.map(({ id }) => [id, list.findIndex((move) => move.id === id && move.kind === 'start')]))
    return list.filter(({ id, kind }, index) => {
      const start = first.get(id) ?? -1
      return kind === 'other' || (kind === 'start' ? index === start : start >= 0 && index > start)
    })
  })

const streams = moves.map((list) =>
  list.map((move, index): Envelope => ({ conversationId, seq: index + 1, at: index, event: eventOf(move, index) })),
)

function eventOf({ id, kind }: Move, n: number): ConversationEvent {
  const item: Item = { id, type: 'agentMessage', status: 'inProgress', title: 'Answer', text: '' }
  switch (kind) {
    case 'start':
      return { type: 'item.started', item }
    case 'delta':
      return { type: 'item.delta', itemId: id, text: `${n} ` }
    case 'progress':
      return { type: 'item.progress', itemId: id, totalBytes: n, tail: `${n}` }
    case 'fail':
      return { type: 'execution.failed', itemId: id, attempt: 1, item: { ...item, text: `failed ${n}` } }
    case 'end':
      return { type: 'item.completed', item: { ...item, status: 'completed', text: `all ${n}` } }
    case 'other':
      return { type: 'conversation.renamed', name: `name ${n}`, by: { clientId: 'c-1', name: 'test' } }
  }
}

function lineOf({ seq, at, event }: Envelope): LogLine {
  const bytes = Buffer.from(JSON.stringify({ seq, at, event }))
  return { seq, type: event.type, byteOffset: 0, endOffset: bytes.length, bytes, unchecked: true }
}

describe('the fold of a log', () => {
  it('equals the state of folding each event in order, wherever the log ends', () => {
    fc.assert(
      fc.property(streams, (envelopes) => {
        const fold = createLogFold({ state: initialState(conversationId) }, createLogReader(newHeader(conversationId)))
        for (const envelope of envelopes) fold.take(lineOf(envelope))
        expect(fold.state).toEqual(envelopes.reduce(reduce, initialState(conversationId)))
      }),
    )
  })

  it('gives the right state when it is read before the end', () => {
    fc.assert(
      fc.property(streams, fc.nat(60), (envelopes, at) => {
        const fold = createLogFold({ state: initialState(conversationId) }, createLogReader(newHeader(conversationId)))
        for (const [index, envelope] of envelopes.entries()) {
          fold.take(lineOf(envelope))
          if (index === at) expect(fold.state.core.seq).toBe(envelope.seq)
        }
        expect(fold.state).toEqual(envelopes.reduce(reduce, initialState(conversationId)))
      }),
    )
  })
})
