import type { SharedStore } from '@parley/engine/shared-store'
import type { ServerArguments } from '../arguments.ts'

/**
 * Returns the function that tells why clients cannot be served; null while they can. It does not ask the store, since a
 * balancer gives a server a second. It names no address, since a probe brings no token.
 */
export function watchReadiness(
  store: Pick<SharedStore, 'awayMs' | 'watchLeaders'> | null,
  { listen }: Pick<ServerArguments, 'listen'>,
): () => string | null {
  // Only websockets answer probes.
  if (store === null || listen.every(({ kind }) => kind === 'socket')) return () => null
  const leaderless = store.watchLeaders()
  return () => {
    if (store.awayMs !== null) return 'The store does not answer.'
    const names = leaderless()
    if (names.length === 0) return null
    return `The store has no leader for ${names.join(', ')}: its servers elect one, or too few of them are there.`
  }
}
