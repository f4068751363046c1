import { describe, expect, it } from 'vitest'
import { classifyNetwork } from '../../src/failures/explain.ts'
import { explain } from '../support/read-body.ts'

const context = { provider: 'OpenAI', host: 'api.openai.com:443', model: 'gpt-x', key: 'OPENAI_API_KEY', nowMs: 0 }

describe('a fault of the network', () => {
  const fault = (code: string) => ({ type: 'fault', code, detail: 'detail', reusedSocket: false }) as const

  it.each([
    ['ECONNREFUSED', false, 'unreachable', 'short'],
    ['ENOTFOUND', false, 'unreachable', 'short'],
    ['EAI_AGAIN', false, 'unreachable', 'short'],
    ['ERR_PROXY_TUNNEL', false, 'unreachable', 'short'],
    ['CONNECT_TIMEOUT', false, 'connectTimeout', 'short'],
    ['ECONNRESET', false, 'connectionReset', 'short'],
    ['ECONNRESET', true, 'streamCut', 'short'],
    ['ERR_STREAM_PREMATURE_CLOSE', true, 'streamCut', 'short'],
    ['HPE_INVALID_CONSTANT', false, 'malformedStream', 'short'],
    ['SELF_SIGNED_CERT_IN_CHAIN', false, 'tls', 'never'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, 'tls', 'never'],
    ['CERT_HAS_EXPIRED', false, 'tls', 'never'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, 'tls', 'never'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', false, 'tls', 'never'],
    ['ERR_INVALID_CHAR', false, 'invalidRequest', 'never'],
  ])('%s (while streaming: %s) is %s, retry %s', (code, streaming, expected, retry) => {
    expect(classifyNetwork(fault(code), streaming, context)).toMatchObject({ code: expected, retry })
  })

  const before = { ...context, wasReached: true } as const

  it.each([
    ...['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED', 'CONNECT_TIMEOUT', 'ETIMEDOUT'].map(
      (code) => [code, true] as const,
    ),
    ...['ECONNRESET', 'ERR_PROXY_TUNNEL', 'HPE_INVALID_CONSTANT', 'ERR_INVALID_URL'].map(
      (code) => [code, false] as const,
    ),
  ])('%s before the answer is one of a network that may come back: %s', (code, isAway) => {
    expect(classifyNetwork(fault(code), false, context).network).toBe(isAway ? true : undefined)
    expect(classifyNetwork(fault(code), true, context).network).toBeUndefined()
  })

  it.each([
    ['CERT_HAS_EXPIRED', true],
    ['ERR_TLS_CERT_ALTNAME_INVALID', true],
    ['SELF_SIGNED_CERT_IN_CHAIN', true],
    ['ERR_SSL_WRONG_VERSION_NUMBER', false],
  ])('%s is that of another network only where the provider has answered before', (code, isAway) => {
    expect(classifyNetwork(fault(code), false, before).network).toBe(isAway ? true : undefined)
    expect(classifyNetwork(fault(code), false, context).network).toBeUndefined()
  })

  it.each([
    ['ENOTFOUND', 'Cannot reach OpenAI at api.openai.com:443: the name is not known.', /Check the network/],
    ['CERT_HAS_EXPIRED', 'The certificate of api.openai.com:443 is not trusted (CERT_HAS_EXPIRED).', /set ca_file/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'api.openai.com:443 does not speak TLS on this port.', /begin with http:/],
  ])('%s has the fault by itself beside the message with the remedy', (code, alone, remedy) => {
    const { message, fault: found } = classifyNetwork(fault(code), false, context)
    expect({ found, rest: message.slice(0, alone.length) }).toEqual({ found: alone, rest: alone })
    expect(message).toMatch(remedy)
  })

  it('that is about the address names base_url of the provider', () => {
    expect(classifyNetwork(fault('ERR_INVALID_URL'), false, context)).toMatchObject({
      code: 'invalidRequest',
      retry: 'never',
      message: expect.stringMatching(/^OpenAI .*Set base_url of the provider/),
    })
  })

  it('that is about a header names the variable of the key', () => {
    expect(classifyNetwork(fault('ERR_INVALID_CHAR'), false, context).message).toMatch(
      /^OpenAI was not asked: its key .*line break.*env_key.*parley login/,
    )
  })

  it('that is about a certificate names the variable that helps', () => {
    expect(classifyNetwork(fault('SELF_SIGNED_CERT_IN_CHAIN'), false, context).message).toContain(
      'ca_file in [network]',
    )
  })
})

describe('a page with status 403', () => {
  const refusal = (headers: Readonly<Record<string, string>>, body: string, status = 403) =>
    explain.refusal({ type: 'head', status, headers }, body)
  const page = (title: string) => `<!doctype html><title>${title}</title>`

  it.each([
    [{ 'cf-mitigated': 'challenge' }, page('x')],
    [{ 'x-amzn-waf-action': 'challenge' }, page('x')],
    [{ 'x-vercel-mitigated': 'challenge' }, page('x')],
    [{}, page('Just a moment...')],
    [{}, page('Attention Required! | Cloudflare')],
    [{}, page('Access Denied')],
  ])('that a guard gives to browsers (%j, %s) says nothing of the key', (headers, body) => {
    const failure = refusal({ 'content-type': 'text/html', ...headers }, body)
    expect(failure).toMatchObject({ code: 'unexpectedReply', retry: 'never', status: 403 })
    expect(failure.message).toMatch(/^test:443 did not let the request through .*nothing of the key/)
  })

  it('of another kind, or an answer of the API, is about the key', () => {
    expect(refusal({}, page('403 Forbidden')).code).toBe('auth')
    expect(refusal({}, '{"error":{"message":"Access denied"}}').code).toBe('auth')
    expect(refusal({}, page('Access Denied'), 401).code).toBe('auth')
  })
})
