import { describe, expect, test } from 'vitest'
import { certificateFault, tlsFaultOf } from '../src/index.ts'

const faultOf = (code: string, more: object = {}) => {
  const fault = tlsFaultOf(Object.assign(new Error('try running Node.js'), { code, ...more }), '--ca-file')
  return fault === null ? null : `${fault.what}. ${fault.next}`
}

describe('a fault of TLS', () => {
  test.each(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
    'of an unknown authority (%s) names what takes the file with it',
    (code) => expect(faultOf(code)).toMatch(/authority of its certificate is not known here.* by --ca-file$/),
  )

  test('of dates says so', () => {
    expect(faultOf('CERT_HAS_EXPIRED')).toMatch(/^its certificate has expired .*renews/)
    expect(faultOf('CERT_NOT_YET_VALID')).toMatch(/^its certificate is not valid yet .*clock/)
  })

  test('of another name says which names the certificate has, as far as they can be shown', () => {
    const certified = (subjectaltname?: string) =>
      faultOf('ERR_TLS_CERT_ALTNAME_INVALID', { host: '10.0.0.1', cert: { subjectaltname } })
    expect(certified('DNS:parley.example, IP Address:10.1.2.3, DNS:bad\u001bname')).toMatch(
      /^its certificate is for parley\.example, 10\.1\.2\.3, not for 10\.0\.0\.1 /,
    )
    expect(certified()).toMatch(/^its certificate is not for 10\.0\.0\.1: it names nothing /)
    expect(certified('DNS:a.example, '.repeat(9))).toContain(', and 1 more, not for')
  })

  test('is none of other errors', () => expect(faultOf('ECONNREFUSED')).toBeNull())
})

test('a file without a certificate is told from one with it', () => {
  const block = (of: string) => `-----BEGIN ${of}-----\nMIIB\n-----END ${of}-----\n`
  expect(certificateFault(block('CERTIFICATE'))).toBeNull()
  expect(certificateFault(block('EC PRIVATE KEY'))).toBe('has a private key and no certificate')
  expect(certificateFault('')).toBe('has no certificate in PEM form')
})
