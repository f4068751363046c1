import { readFileSync } from 'node:fs'
import { certificateFault, errorCode, errorMessage, tlsFaultOf } from '@parley/text'

/** Files of TLS for the connection to a store. */
export interface TlsPaths {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** Returns the sentence on a file of TLS that cannot be read or has no certificate; null where all can be used. */
export function fileFault(files: TlsPaths): string | null {
  for (const name of ['ca', 'cert', 'key'] as const) {
    const path = files[name]
    const fault = path === undefined ? null : faultIn(path, name !== 'key')
    if (fault !== null) return `The ${name}_file of [store], ${path}, ${fault}.`
  }
  return null
}

function faultIn(path: string, isCertificate: boolean): string | null {
  try {
    const text = readFileSync(path, 'utf8')
    return isCertificate ? certificateFault(text) : null
  } catch (error) {
    return `cannot be read: ${errorMessage(error)}`
  }
}

/** Codes of a server that ends a connection for a wrong or missing certificate of the client. */
const refusedCodes = /_ALERT_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_[A-Z]+|UNKNOWN_CA|ACCESS_DENIED)$/

/** Returns why a store cannot be reached, and what helps where that is known, as the rest of a sentence. */
export function reasonWords(cause: unknown, files: TlsPaths = {}): string {
  const message = errorMessage(cause)
  const refused = refusedCode(cause)
  if (refused !== null) return `: ${refusedWords(refused, files)}`
  const tls = faultOf(cause)
  if (tls !== null) return `: ${tls.what}. ${tls.next}`
  // The library has no code for it.
  if (message.includes("does not support 'tls'"))
    return ': it has no TLS. If that is meant, its address begins with nats://, and [store] names no files of TLS'
  return ` (${message})`
}

function refusedCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = errorCode(error) ?? ''
  return refusedCodes.test(code) ? code : refusedCode(error.cause)
}

function refusedWords(code: string, { cert }: TlsPaths): string {
  if (cert === undefined)
    return `it asks for a certificate, and none was given (${code}). Name one that its authority made by cert_file and key_file of [store]`
  return `it refuses the certificate in ${cert}, the cert_file of [store] (${code}). It takes those of the authority in its own ca_file, while they are valid: name one of these, or have that authority added there`
}

/** Looks through the causes: the library wraps errors of the system. */
function faultOf(error: unknown): ReturnType<typeof tlsFaultOf> {
  if (!(error instanceof Error)) return null
  return tlsFaultOf(error, 'ca_file of [store]') ?? faultOf(error.cause)
}
