import { type ConversationCore, initialState, limits } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { createStateSizeLimit } from '../../src/conversation/state-size-limit.ts'

const { core: empty } = initialState('c')

function coreOf(sizeBytes: number): ConversationCore {
  return { ...empty, meta: { ...empty.meta, name: 'x'.repeat(sizeBytes) } }
}

const mebibyte = 1024 * 1024

describe('the room of a core', () => {
  it('ends where a snapshot would no longer fit in a line', () => {
    const room = createStateSizeLimit()
    const large = coreOf(limits.core - mebibyte)
    room.take(empty, large, [limits.core - mebibyte])
    expect(() => room.take(large, coreOf(limits.core + 1), [2 * mebibyte])).toThrow(/can be shown at once/)
  })

  it('is not used up by lines that leave the core as it was', () => {
    const room = createStateSizeLimit()
    for (let count = 0; count < 100; count++) room.take(empty, empty, [mebibyte])
    expect(() => room.take(empty, coreOf(mebibyte), [mebibyte])).not.toThrow()
  })

  it('has a reserve for small events, so that open work can go on and end', () => {
    const room = createStateSizeLimit()
    const full = coreOf(limits.core - 1000)
    room.take(empty, full, [limits.core - 1000])
    const fuller = coreOf(limits.core + 1000)
    room.take(full, fuller, [2000])
    expect(() => room.take(fuller, coreOf(limits.core + 100_000), [100_000])).toThrow(/can be shown at once/)
    expect(() => room.take(fuller, coreOf(limits.core + limits.coreReserve), [2000])).not.toThrow()
  })

  it('always takes what makes a core smaller, as a log of an earlier version needs it', () => {
    const room = createStateSizeLimit()
    const huge = coreOf(limits.core + 10 * mebibyte)
    room.take(huge, coreOf(limits.core + 9 * mebibyte), [mebibyte])
    room.take(huge, huge, [500])
    expect(() => room.take(huge, coreOf(limits.core + 20 * mebibyte), [10 * mebibyte])).toThrow(/can be shown at once/)
  })
})
