import { validityFault } from '@parley/rpc'
import { type Listeners, readPem, type TlsPaths } from '@parley/serving'
import type { ServerUsers } from '@parley/team/people'
import { isLoopbackHost } from '@parley/text'

/** Returns the sentence about an address at the start: where it is, which token it takes, and who else can reach it. */
export function describeListener(
  { address, tokenFile, page }: Pick<Listeners['others'][number], 'address' | 'tokenFile' | 'page'>,
  users: Pick<ServerUsers, 'file' | 'lines'> | null,
): string {
  const from = `parley server listens on ${address}${page == null ? '' : `, with the page at ${page}`}`
  if (tokenFile !== null) return `${from} (token in ${tokenFile})${reach(address, 'the token')}`
  if (users === null || !/^wss?:/.test(address)) return from
  const isEmpty = !users.lines.some(({ kind }) => kind === 'user')
  const next = isEmpty ? '; it has none yet: parley user add NAME --role admin' : ''
  return `${from} (users in ${users.file}${next})${reach(address, 'the token of a user')}`
}

/**
 * Returns the sentence about a certificate that clients reject for its dates; null for any other certificate, or
 * without one.
 */
export function describeCertificate(tls: TlsPaths | null, nowMs: number): string | null {
  const fault = tls === null ? null : validityFault(readPem(tls.certFile), nowMs)
  if (tls === null || fault === null) return null
  return `parley server: the certificate ${tls.certFile} ${fault}, so clients do not connect. Put another in its place, and start the server again`
}

/** Returns the machines that reach an address besides this one, and its protection; empty for a local address. */
function reach(address: string, token: string): string {
  const { protocol, hostname } = new URL(address)
  if (isLoopbackHost(hostname)) return ''
  const who = hostname === '0.0.0.0' || hostname === '[::]' ? 'at every address of this machine, ' : ''
  const enters = `. Other machines reach it ${who}and get in with ${token} only`
  if (protocol === 'wss:') return `${enters}; TLS hides it from those on the way.`
  return `${enters}; without TLS whoever is on the way reads it, unless something in front adds that. Use wss:// with --tls-cert and --tls-key, or listen on 127.0.0.1.`
}
