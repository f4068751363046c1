import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeHead, maxHeadBytes } from '../../src/forward/relay.ts'

const hosts = ['p8000-ab.localhost', 'p8000-ab.localhost:8000']
const judge = (text: string) => judgeHead(Buffer.from(text, 'latin1'), hosts)
const request = (...fields: string[]) => ['GET /a HTTP/1.1', ...fields, '', ''].join('\r\n')

describe('the head of a request', () => {
  it.each([
    request('Host: p8000-ab.localhost:8000'),
    request('Accept: */*', 'hOST:\tP8000-AB.localhost  ', 'Cookie: a=b'),
    `${request('Host: p8000-ab.localhost').replace('GET', 'POST')}a body`,
    '\x16\x03\x01 the first bytes of TLS',
  ])('passes: %j', (text) => {
    expect(judge(text)).toBe('pass')
  })

  it.each([
    request('Host: evil.example:8000'),
    request('Host: localhost:8000'),
    request('Host: p8000-ab.localhost.evil.example'),
    request(),
    request('Host: p8000-ab.localhost', 'Host: evil.example'),
    request('Host: evil.example', 'Host: p8000-ab.localhost'),
    request('Host : p8000-ab.localhost'),
    request('X: y', ' Host: p8000-ab.localhost'),
    'GET /a HTTP/2.0\r\nHost: p8000-ab.localhost\r\n\r\n',
    'GET /a\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\r\nGET / HTTP/1.1\r\nHost: p8000-ab.localhost\r\n\r\n',
    '*1\r\n$4\r\nPING\r\n',
    `GET /${'a'.repeat(maxHeadBytes)}`,
  ])('is refused: %j', (text) => {
    expect(judge(text)).toBe('refuse')
  })

  it('is waited for, wherever it is cut, and then judged as a whole', () => {
    const whole = request('Host: p8000-ab.localhost:8000', 'Accept: */*')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        expect(judge(whole.slice(0, length))).toBe('more')
      }),
    )
    expect(judge(whole)).toBe('pass')
  })
})
