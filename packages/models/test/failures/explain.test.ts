import { describe, expect, it } from 'vitest'
import { classifyNetwork } from '../../src/failures/explain.ts'

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
