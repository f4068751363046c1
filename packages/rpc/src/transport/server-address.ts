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
