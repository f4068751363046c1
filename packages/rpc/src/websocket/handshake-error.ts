import { type TlsFault, tlsFaultOf } from '@parley/text'
import { ConnectError, codeOrMessage, connectErrorOf } from '../transport/transport.ts'

/** Returns the error for a server that answers the handshake with an HTTP status. */
export function statusError(url: string, status: number): ConnectError {
  if (status === 401) return new ConnectError('refused', `${url} asks for another token (401)`)
  if (status === 409) return new ConnectError('refused', `${url} has another machine under this name (409)`)
  if (status === 429) return new ConnectError('refused', `${url} has too many machines of this user (429)`)
  if (status === 403) return new ConnectError('refused', `${url} rejects this client (403)`)
  return new ConnectError('notWebSocket', `${url} does not offer a websocket here (HTTP status ${status})`)
}

/**
 * Returns the error for a failed handshake: the failure, its cause, and a remedy. `authorities` names the setting for
 * certificate authorities.
 */
export function handshakeError(url: string, cause: Error, authorities: string): ConnectError {
  if (cause.message.includes('timed out')) return new ConnectError('timedOut', `${url} does not answer`, { cause })
  const code = codeOrMessage(cause)
  // Node's parser of HTTP names its faults so.
  if (code.startsWith('HPE_'))
    return new ConnectError(
      'notWebSocket',
      `${url} is no parley server: something else listens there, which does not speak HTTP. Name the port of \`parley server --listen\`, not that of its store`,
      { cause, why: 'something else listens there' },
    )
  const tls = tlsFaultOf(cause, authorities) ?? otherScheme(url, code, cause)
  if (tls !== null)
    return new ConnectError('untrusted', `cannot connect to ${url}: ${tls.what}. ${tls.next}`, { cause, why: tls.what })
  const why = reasons[code]
  if (why === undefined) return connectErrorOf(url, cause)
  return new ConnectError('unreachable', `cannot connect to ${url}: ${why} (${code})`, { cause, why })
}

/** A firewall reports these codes; a file's permissions would, too, but no websocket here has a file. */
const forbidden = 'a firewall or a route forbids it'

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no machine of that name is known',
  EAI_AGAIN: 'its name cannot be looked up now',
  EACCES: forbidden,
  EPERM: forbidden,
}

/** Returns the fault of an address with `ws://` that needs `wss://`, or the other way around; null for other faults. */
function otherScheme(url: string, code: string, { message }: Error): TlsFault | null {
  const isSecure = /^wss:/i.test(url)
  if (isSecure && /wrong version number|packet length too long/.test(message))
    return {
      what: `what listens there does not speak TLS (${code})`,
      next: 'If that is meant, its address begins with ws://',
    }
  if (isSecure || code !== 'ECONNRESET') return null
  return {
    what: 'it hung up before it answered (ECONNRESET)',
    next: 'If it listens with TLS, its address begins with wss://',
  }
}
