import { ListenError } from '@parley/rpc'
import { isLoopbackHost } from '@parley/text'
import type { Address } from './flags.ts'

const needsEncryption =
  'the page asks for tokens, so browsers must reach it by wss:// or on this machine: add --tls-cert and --tls-key, or --advertise wss://NAME behind something that serves TLS'

/**
 * Returns the origins that browsers use for the page at an address, the best first, without the origin of the socket
 * itself. Throws `ListenError` where tokens would cross a network unencrypted.
 */
export function pageOrigins(address: Address & { readonly kind: 'websocket' }, advertise: string | null): string[] {
  const { host, port, isSecure } = address
  const named = host.includes(':') ? `[${host}]` : host
  const given = `${isSecure === true ? 'https' : 'http'}://${named}:${port}`
  const told = advertise === null ? [] : [advertise.replace(/^ws/i, 'http')]
  const origins = [...told, ...(isUnspecified(host) || port === 0 ? [] : [given])].map((url) => new URL(url).origin)
  if (isUnspecified(host) && told.length === 0)
    throw new ListenError(`${host} is no address that browsers know the page by. Say it: --advertise wss://NAME:PORT`)
  if (![...origins, given].every(isPrivate)) throw new ListenError(needsEncryption)
  return origins
}

function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** Returns true where traffic is encrypted or stays on this machine. */
export function isPrivate(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || isLoopbackHost(hostname)
}
