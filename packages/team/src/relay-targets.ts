import type { StoreServers } from '@parley/engine/shared-store'
import { isInTheClear, pageSocketOf, serverAddress } from '@parley/rpc'
import type { RelayTargetOf } from '@parley/rpc/websocket'

/**
 * Returns the servers that connections are passed on to: those that live and share the store, by addresses at which nobody
 * on the way can read the token. `ca` has certificates of their authorities, in PEM; null for those of Node.
 */
export function relayTargets(servers: Pick<StoreServers, 'others'>, ca: string | null): RelayTargetOf {
  return async (to) => {
    const others = await servers.others()
    const isKnown = others.some(({ address, page }) => to === address || (page !== null && to === pageSocketOf(page)))
    // Other texts come from a program that is not this one.
    if (!isKnown || serverAddress(to) === null || isInTheClear(to)) return null
    return { url: to, ...(ca === null ? {} : { ca }) }
  }
}
