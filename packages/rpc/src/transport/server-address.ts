import { isLoopbackHost } from '@parley/text'

/**
 * Returns the `ws://` or `wss://` address of a server in its canonical form, without a last slash; null for other
 * texts. Null also for an address with user, query or fragment, which nothing here reads; a path belongs to a proxy.
 */
export function serverAddress(text: string): string | null {
  const address = text.trim().replace(/\/$/, '')
  return /^wss?:\/\/[^/\s?#@]+(?:\/[^\s?#@]*)?$/i.test(address) && URL.canParse(address) ? address : null
}

/** Returns true for an unencrypted address of another machine: anyone on the way can read everything. */
export function isInTheClear(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'ws:' && !isLoopbackHost(url.hostname)
}

/** Path at which a server passes websockets on to the server in `to` of the query. */
export const relayPath = '/relay'

/** Returns the address at which the server `through` passes a websocket on to another server. */
export function relayAddress(through: string, to: string): string {
  return `${through.replace(/\/$/, '')}${relayPath}?to=${encodeURIComponent(to)}`
}

export const pageSocketPath = '/socket'

/** Returns the websocket of the page with an origin, `https://HOST:PORT`. */
export function pageSocketOf(origin: string): string {
  return `${origin.replace(/^http/, 'ws')}${pageSocketPath}`
}
