import { describe, expect, it } from 'vitest'
import { proxyFor, proxyVariables } from '../../src/http/network.ts'

const proxy = 'http://proxy.example:3128'
const to = (address: string) => new URL(address)

describe('the proxy of a request', () => {
  it('of the configuration goes before those of the variables', () => {
    const env = { HTTPS_PROXY: 'http://other.example', no_proxy: 'a.example' }
    expect(proxyVariables(env, { proxy })).toEqual({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: 'a.example' })
    expect(proxyVariables(env)).toEqual({ HTTPS_PROXY: 'http://other.example', NO_PROXY: 'a.example' })
  })

  it('is none for loopback', () => {
    expect(proxyFor(to('http://127.0.0.1:8080/v1'), {}, { proxy })).toBeNull()
  })

  it.each([
    ['models.example', true],
    ['.example', true],
    ['*.example', true],
    ['*', true],
    ['models.example:443', true],
    ['models.example:80', false],
    ['other.example', false],
    ['ample', false],
  ])('with no_proxy %s is left out: %s', (entry, isDirect) => {
    const found = proxyFor(to('https://models.example/v1'), {}, { proxy, noProxy: ['x.example', entry] })
    expect(found === null).toBe(isDirect)
  })
})
