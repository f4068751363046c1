import type { Envelope } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventStreams, fold } from './event-stream.ts'

describe('a closing event', () => {
  it('folding without deltas equals folding with them whenever no item is open', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        let [whole, sparse] = [fold([]), fold([])]
        for (const one of envelopes) {
          whole = fold([one], whole)
          if (!isCourtesy(one)) sparse = fold([one], sparse)
          if (Object.keys(whole.core.open).length === 0) expect(sparse).toEqual(whole)
        }
      }),
    )
  })

  it('without deltas the same items are open and the same approvals wait', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        const { open: whole, ...core } = fold(envelopes).core
        const { open: sparse, ...coreSparse } = fold(envelopes.filter((one) => !isCourtesy(one))).core
        expect(Object.keys(sparse)).toEqual(Object.keys(whole))
        expect({ ...coreSparse, seq: core.seq }).toEqual(core)
      }),
    )
  })
})

function isCourtesy({ event }: Envelope): boolean {
  return event.type === 'item.delta' || event.type === 'item.progress'
}
