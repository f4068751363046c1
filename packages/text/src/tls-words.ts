/** Fault of TLS in words for people: clauses without a stop. */
export interface TlsFault {
  /** Fault, as in `its certificate has expired`. */
  readonly what: string
  /** Advice; the first letter is a capital. */
  readonly next: string
}

/** Codes of certificates from an unknown authority. */
const unknownAuthority =
  /^(?:UNABLE_TO_(?:VERIFY|GET_ISSUER)_|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_(?:UNTRUSTED|SIGNATURE_FAILURE)|INVALID_CA)/

const validity: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
}

/** Explains an error of TLS by its code; null for any other. `authorities` names the setting for authorities. */
export function tlsFaultOf(error: Error, authorities: string): TlsFault | null {
  const code = 'code' in error ? String(error.code) : ''
  if (unknownAuthority.test(code))
    return {
      what: `the authority of its certificate is not known here (${code})`,
      next: `Name the file with that authority, in PEM form, by ${authorities}`,
    }
  const expired = validity[code]
  if (expired !== undefined)
    return {
      what: `${expired} (${code})`,
      next: 'Whoever runs it renews the certificate; see that the clock of this machine is right, too',
    }
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return null
  return {
    what: `its certificate is ${namesOf(error)} (${code})`,
    next: 'Connect by a name that it has, or have whoever runs it add this one',
  }
}

const mostNames = 8

function namesOf(error: Error): string {
  const host = 'host' in error ? String(error.host) : 'this name'
  const text = 'cert' in error ? alternativesIn(error.cert) : ''
  const names = text.split(', ').flatMap((name) => /^(?:DNS|IP Address):([\x21-\x7e]+)$/.exec(name)?.[1] ?? [])
  if (names.length === 0) return `not for ${host}: it names nothing`
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : ''
  return `for ${names.slice(0, mostNames).join(', ')}${more}, not for ${host}`
}

function alternativesIn(certificate: unknown): string {
  if (typeof certificate !== 'object' || certificate === null || !('subjectaltname' in certificate)) return ''
  return String(certificate.subjectaltname ?? '')
}

/** Returns the reason why a PEM text has no certificate, as a clause; null for a text with a certificate. */
export function certificateFault(pem: string): string | null {
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return null
  return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)
    ? 'has a private key and no certificate'
    : 'has no certificate in PEM form'
}
