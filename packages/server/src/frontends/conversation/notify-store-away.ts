import type { SharedStore } from '@parley/engine/shared-store'
import type { ServerNotice } from '@parley/protocol'

/** Store that answers may wait for. */
export type AwaitedStore = Pick<SharedStore, 'name' | 'awayMs'>

/** Time after which a client is told what its request waits for, and between the looks, in ms. */
const quietMs = 1000

/**
 * Returns the function that follows an answer: a client that waits for one because the store does not answer gets a
 * notice, once in each time that the store is away.
 */
export function notifyStoreAway(
  store: AwaitedStore,
  notify: (notice: ServerNotice) => void,
): (answer: Promise<unknown>) => void {
  let toldMs = Number.NEGATIVE_INFINITY

  function look(): void {
    const { name, awayMs } = store
    const nowMs = performance.now()
    const isTold = awayMs !== null && nowMs - awayMs < toldMs
    if (awayMs === null || isTold) return
    toldMs = nowMs
    notify({ level: 'warning', code: 'storeAway', message: `The store ${name} does not answer. Waiting for it.` })
  }

  return (answer) => {
    const timer = setInterval(look, quietMs)
    const stop = () => clearInterval(timer)
    answer.then(stop, stop)
  }
}
