/** Bytes of a request's head that are read at most. */
export const maxHeadBytes = 32 * 1024

/** First byte of TLS. The browser checks its certificate against the name. */
const tlsHandshake = 0x16

/**
 * Judges the first bytes of a connection: requests of HTTP/1 for one of the hosts pass, and TLS; `more` while the head
 * is incomplete. Pages of other hosts do not.
 */
export function judgeHead(bytes: Buffer, hosts: readonly string[]): 'pass' | 'refuse' | 'more' {
  if (bytes.length === 0) return 'more'
  if (bytes[0] === tlsHandshake) return 'pass'
  const text = bytes.toString('latin1')
  if (!/^[A-Z]/.test(text)) return 'refuse'
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return bytes.length < maxHeadBytes ? 'more' : 'refuse'
  const [line = '', ...fields] = text.slice(0, end).split('\r\n')
  const isPlain =
    /^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(line) && fields.every((field) => /^[\w!#$%&'*+.^`|~-]+:/.test(field))
  const named = fields.flatMap((field) => /^host:[ \t]*(.*?)[ \t]*$/i.exec(field)?.[1]?.toLowerCase() ?? [])
  const [host = ''] = named
  return isPlain && named.length === 1 && hosts.includes(host) ? 'pass' : 'refuse'
}
