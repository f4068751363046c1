import type { Duplex } from 'node:stream'
import type { TakeStream } from './http-listener.ts'
import { type RelayLimits, type RelayTarget, relayUpgrade } from './relay-upgrade.ts'

/** Resolves to the server with an address that a client names; null for one that nothing is passed on to. */
export type RelayTargetOf = (to: string) => Promise<RelayTarget | null>

/** Websockets that are passed on to other servers, until it is closed. */
export interface Relays {
  /** Resolves to who takes an upgrade with this query, or to the HTTP status that rejects it. */
  taker(query: URLSearchParams): Promise<TakeStream | number>
  close(): void
}

export function createRelays(targetOf: RelayTargetOf, limits: Partial<RelayLimits> = {}): Relays {
  const open = new Set<Duplex>()
  let isClosed = false
  return {
    async taker(query) {
      const target = await targetOf(query.get('to') ?? '')
      if (target === null) return 404
      return {
        takeStream(upgrade) {
          const { stream } = upgrade
          // The target was looked up meanwhile.
          if (isClosed) return void stream.destroy()
          open.add(stream)
          stream.once('close', () => open.delete(stream))
          relayUpgrade(upgrade, target, limits)
        },
      }
    },
    close() {
      isClosed = true
      for (const stream of open) stream.destroy()
    },
  }
}
