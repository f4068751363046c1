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
  return storeThat(taken)
}

/** Returns a store without conversations that gives a shipment for each one that is taken. */
export function storeThat(take: () => Shipment): SharedStore {
  return {
    name: 'nats://test',
    answers: { read: async () => null, change: async () => undefined },
    key: new Uint8Array(32),
    servers: { announce: () => undefined, others: async () => [] },
    lists: { row: async () => ({}), rows: async () => [], deletedCopies: async () => [] },
    copies: {
      refresh: async () => true,
      compare: () => Promise.reject(new Error('it has nothing to compare')),
      content: async () => null,
    },
    holder: async () => null,
    take: async () => take(),
    remove: async () => undefined,
    finishDeletions: async () => undefined,
    awayMs: null,
    watchLeaders: () => () => [],
    [Symbol.asyncDispose]: async () => undefined,
  }
}
