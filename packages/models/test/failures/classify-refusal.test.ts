import { describe, expect, it } from 'vitest'
import { classifyRefusal } from '../../src/failures/classify-refusal.ts'
import { readErrorBody } from '../../src/wires/openai-api.ts'

const context = { provider: 'OpenAI', host: 'api.openai.com:443', model: 'gpt-x', key: 'OPENAI_API_KEY', nowMs: 0 }

function refusal(status: number | undefined, error: unknown, headers: Record<string, string> = {}) {
  const body = typeof error === 'string' ? error : JSON.stringify({ error })
  return classifyRefusal({ ...(status === undefined ? {} : { status }), headers, error: readErrorBody(body) }, context)
}

describe('a refusal', () => {
  it.each([
    [429, { message: 'Too fast' }, 'rateLimited', 'short'],
    [429, { code: 'insufficient_quota', message: 'You exceeded your current quota' }, 'quota', 'never'],
    [402, { message: 'Insufficient Balance' }, 'quota', 'never'],
    [401, { code: 'invalid_api_key', message: 'Incorrect API key' }, 'auth', 'never'],
    [403, 'Forbidden', 'auth', 'never'],
    [404, { code: 'model_not_found', message: 'The model `gpt-x` does not exist' }, 'unknownModel', 'never'],
    [404, { message: 'model "llama3" not found, try pulling it first' }, 'unknownModel', 'never'],
    [400, { message: 'Model Not Exist' }, 'unknownModel', 'never'],
    [404, '<html>404</html>', 'notFound', 'never'],
    [400, { code: 'context_length_exceeded', message: 'Too long' }, 'contextTooLong', 'never'],
    [400, { message: "This model's maximum context length is 8192 tokens." }, 'contextTooLong', 'never'],
    [400, { message: 'the request exceeds the available context size' }, 'contextTooLong', 'never'],
    [
      400,
      { message: 'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).' },
      'contextTooLong',
      'never',
    ],
    [
      400,
      { message: "This model's maximum prompt length is 131072 but the request contains 136973 tokens." },
      'contextTooLong',
      'never',
    ],
    [
      400,
      {
        type: 'invalid_request_error',
        message: 'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length',
      },
      'contextTooLong',
      'never',
    ],
    [
      400,
      { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      'contextTooLong',
      'never',
    ],
    [
      400,
      { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
      'quota',
      'never',
    ],
    [
      400,
      { message: 'registry.ollama.ai/library/gemma3:4b does not support tools', type: 'api_error' },
      'toolsUnsupported',
      'never',
    ],
    [
      400,
      { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' },
      'toolsUnsupported',
      'never',
    ],
    [500, { message: 'tools param requires --jinja flag', type: 'server_error' }, 'toolsUnsupported', 'never'],
    [500, { message: 'Unsupported param: tools', type: 'server_error' }, 'toolsUnsupported', 'never'],
    [404, { message: 'No endpoints found that support tool use.', code: 404 }, 'toolsUnsupported', 'never'],
    [400, { message: 'Function calling is not enabled for models/gemma-3-27b-it' }, 'toolsUnsupported', 'never'],
    [400, { message: '`tool calling` is not supported with this model' }, 'toolsUnsupported', 'never'],
    [
      400,
      {
        code: 'array_above_max_length',
        message: "Invalid 'tools': array too long. Expected an array with maximum length 128, but got one with 200.",
      },
      'tooManyTools',
      'never',
    ],
    [400, { message: 'You may not include more than 128 tools in your request.' }, 'tooManyTools', 'never'],
    [413, 'Payload Too Large', 'contextTooLong', 'never'],
    [400, { message: "Unsupported parameter: 'x' is not supported with this model." }, 'invalidRequest', 'never'],
    [422, '{"detail":[{"loc":["body"],"msg":"Field required"}]}', 'invalidRequest', 'never'],
    [302, '', 'redirect', 'never'],
    [408, '', 'providerError', 'short'],
    [409, '', 'providerError', 'short'],
    [500, '', 'providerError', 'short'],
    [502, '<html>', 'providerError', 'short'],
    [503, { message: 'Loading model' }, 'providerError', 'short'],
    [503, { message: 'Busy', type: 'overloaded_error' }, 'overloaded', 'long'],
    [529, '', 'overloaded', 'long'],
    [undefined, { code: 'rate_limit_exceeded', message: 'Slow down' }, 'rateLimited', 'short'],
    [undefined, { code: 'server_error', message: 'Oops' }, 'providerError', 'short'],
    [undefined, { code: 'context_length_exceeded', message: '' }, 'contextTooLong', 'never'],
    [undefined, { code: 429, message: 'upstream' }, 'rateLimited', 'short'],
  ])('with status %s and %j is %s, retry %s', (status, error, code, retry) => {
    expect(refusal(status, error)).toMatchObject({ code, retry })
  })

  it('that asks for a long wait belongs to the long class', () => {
    expect(refusal(429, {}, { 'retry-after': '120' })).toMatchObject({ retry: 'long', retryAfterMs: 120_000 })
    expect(refusal(429, {}, { 'retry-after': '20' })).toMatchObject({ retry: 'short', retryAfterMs: 20_000 })
  })

  it('that must not be retried has no wait', () => {
    expect(refusal(401, {}, { 'retry-after': '20' })).not.toHaveProperty('retryAfterMs')
  })

  it('says what happened, why, and what to do', () => {
    const fault = 'OpenAI refused the key from OPENAI_API_KEY. Check it.'
    expect(refusal(401, { message: 'Bad key' })).toMatchObject({ message: `${fault} It said: Bad key`, fault })
    expect(refusal(401, {})).not.toHaveProperty('fault')
    expect(refusal(404, { code: 'model_not_found' }).message).toContain('gpt-x')
    expect(refusal(400, { message: 'x does not support tools' }).message).toMatch(/"gpt-x" of OpenAI .*Choose a model/)
    expect(refusal(400, { message: 'too many tools' }).message).toMatch(/enabled_tools of your MCP servers/)
    expect(refusal(413, '').message).toMatch(/longer than gpt-x can read.*\/model.*`parley fork ID --at SEQ`/)
  })

  it.each(['detail', 'error', 'errors'])('is read however deep its %s is', (key) => {
    const deep = (inner: string) => `${'['.repeat(30_000)}${inner}${']'.repeat(30_000)}`
    expect(refusal(400, `{"${key}":${deep('"x"')}}`)).toMatchObject({ code: 'invalidRequest' })
    const { message } = refusal(400, `{"${key}":[{"msg":"no","loc":["body",${deep('')}]}]}`)
    expect(message).toContain('It said: body: no')
  })

  it('quotes a long or ragged message in one short line', () => {
    const { message } = refusal(400, { message: `first\n\n${'x'.repeat(10_000)}` })
    expect(message).not.toContain('\n')
    expect(message.length).toBeLessThan(600)
  })
})

describe('an error body', () => {
  it.each([
    ['{"error":{"message":"a","type":"t","code":"c"}}', { message: 'a', kind: 't', code: 'c' }],
    ['{"error":"a"}', { message: 'a' }],
    ['{"message":"a","code":503}', { message: 'a', status: 503 }],
    ['{"detail":"a"}', { message: 'a' }],
    ['[{"error":{"message":"a","code":400}}]', { message: 'a', status: 400 }],
    ['upstream timed out', { message: 'upstream timed out' }],
    [
      '{"detail":[{"loc":["body","messages"],"msg":"field required","type":"x"}]}',
      { message: 'body.messages: field required' },
    ],
    ['{"detail":[{"msg":"a"},{"loc":[],"msg":"b"}]}', { message: 'a; b' }],
    ['{"detail":{"error":"a"}}', { message: 'a' }],
    ['{"object":"error","message":{"detail":[{"loc":["body"],"msg":"a"}]}}', { message: 'body: a' }],
    ['{"errors":[{"message":"a"},{"message":"b"}]}', { message: 'a; b' }],
    ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"a\\"}}"}}', { message: 'a' }],
    ['{"error":{"message":"{a} is odd"}}', { message: '{a} is odd' }],
    ['{"detail":{"odd":1}}', { message: '' }],
    ['<html>', { message: '' }],
    ['', { message: '' }],
    ['null', { message: 'null' }],
  ])('%s is read', (body, expected) => {
    expect(readErrorBody(body)).toMatchObject(expected)
  })
})
