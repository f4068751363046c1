import type { SharedStore, Shipment } from '@parley/engine/shared-store'

/** Store whose servers follow one another in one home: what they have written is there for the next at once. */
export function passedOnStore(): SharedStore {
  let epoch = 0
  const taken = (): Shipment => {
    epoch += 1
    return {
      epoch,
      row: null,
      wrote: () => undefined,
      describe: () => undefined,
      acknowledged: async () => undefined,
      mayAct: async () => undefined,
      assertMayAct: () => undefined,
      taken: () => undefined,
      trouble: null,
      close: async () => undefined,
    }
  }
  return {
    name: 'nats://test',
    answers: { read: async () => null, change: async () => undefined },
    key: new Uint8Array(32),
    announce: () => undefined,
    others: async () => [],
    holder: async () => null,
    take: async () => taken(),
    refresh: async () => true,
    row: async () => ({}),
    rows: async () => [],
    content: async () => null,
    deletedCopies: async () => [],
    remove: async () => undefined,
    finishDeletions: async () => undefined,
    compare: () => Promise.reject(new Error('it has nothing to compare')),
    awayMs: null,
    watchLeaders: () => () => [],
    [Symbol.asyncDispose]: async () => undefined,
  }
}
