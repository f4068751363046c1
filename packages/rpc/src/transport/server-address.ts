import { isLoopbackHost } from '@parley/text'

/**
 * Returns the `ws://` or `wss://` address of a server as it is used and compared: without a last slash. Null for other
 * texts, and for user, query or fragment, which nothing here reads; a path is that of a proxy.
 */
export function serverAddress(text: string): string | null {
  const address = text.trim().replace(/\/$/, '')
  return /^wss?:\/\/[^/\s?#@]+(?:\/[^\s?#@]*)?$/i.test(address) && URL.canParse(address) ? address : null
}

/** Returns true for a `ws://` address of another machine, where whoever is on the way reads everything. */
export function isInTheClear(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'ws:' && !isLoopbackHost(url.hostname)
}

/** Path at which a server passes websockets on to another one, which `to` of the query names. */
export const relayPath = '/relay'

/** Returns the address by which the server `through` passes a websocket on to another one. */
export function relayAddress(through: string, to: string): string {
  return `${through.replace(/\/$/, '')}${relayPath}?to=${encodeURIComponent(to)}`
}

/** Path of the websocket of a page. */
export const pageSocketPath = '/socket'

/** Returns the websocket of the page with an origin, `https://HOST:PORT`. */
export function pageSocketOf(origin: string): string {
  return `${origin.replace(/^http/, 'ws')}${pageSocketPath}`
}
