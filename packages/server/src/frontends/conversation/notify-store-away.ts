import type { SharedStore } from '@parley/engine/shared-store'
import type { ServerNotice } from '@parley/protocol'

/** Store that answers may wait for. */
export type AwaitedStore = Pick<SharedStore, 'name' | 'awayMs'>

/** Time until the notice, and between two checks, in ms. */
const quietMs = 1000

/**
 * Returns a function that watches an answer. While the store is away, the client gets a notice, once in each such
 * time.
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
