import type { FailureContext } from './classify-failure.ts'
import type { HttpFault } from './http.ts'
import type { FailureCode, ModelFailure } from './port.ts'

const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|ERR_PROXY_\w+)$/
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/
const NOT_TLS = /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
}

/** Pure: what a fault of the network means. `streaming` once the response had begun. */
export function classifyNetwork(fault: HttpFault, streaming: boolean, context: FailureContext): ModelFailure {
  const { code } = fault
  const { host, provider } = context
  if (UNREACHABLE.test(code)) {
    const message = `Cannot reach ${provider} at ${host}: ${REASONS[code] ?? code}. Check the network, the proxy and base_url.`
    return short('unreachable', message)
  }
  if (code === 'CONNECT_TIMEOUT') return short('connectTimeout', `${host} did not take the connection in time.`)
  if (TLS.test(code)) return { code: 'tls', message: sayTls(code, host), retry: 'never' }
  if (code.startsWith('HPE_')) return short('malformedStream', `${host} did not answer in HTTP (${code}).`)
  if (code.startsWith('ERR_') && !streaming) {
    return {
      code: 'invalidRequest',
      message: `The request to ${host} could not be sent: ${fault.detail}.`,
      retry: 'never',
    }
  }
  return streaming
    ? short('streamCut', `The connection to ${provider} was lost in the middle of the answer.`)
    : short('connectionReset', `${host} closed the connection before it answered.`)
}

function sayTls(code: string, host: string): string {
  if (NOT_TLS.test(code)) return `${host} does not speak TLS on this port. Is base_url meant to begin with http://?`
  return `The certificate of ${host} is not trusted (${code}). For a private authority set NODE_EXTRA_CA_CERTS to its file.`
}

function short(code: FailureCode, message: string): ModelFailure {
  return { code, message, retry: 'short' }
}
