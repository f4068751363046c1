import { access } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const ok = { text: 'Fine now', chunks: 3 }
const bad = (status: number, body?: object) => ({ status, ...(body === undefined ? {} : { body }) })
const error = (code: string, message = code) => ({ error: { code, message } })

describe('a model that refuses ends the run with', () => {
  test.each<[number, string, ReturnType<typeof bad>, RegExp]>([
    [1, 'an unknown model', bad(404, error('model_not_found')), /does not offer the model "gpt-0"/],
    [1, 'an unknown address', bad(404), /Check base_url/],
    [1, 'a request that is not accepted', bad(400), /did not accept the request/],
    [1, 'a conversation that is too long', bad(400, error('context_length_exceeded')), /longer than gpt-0 can read/],
    [3, 'a refused key', bad(401), /refused/],
  ])('%i for %s', async (exitCode, _name, step, words) => {
    await using world = await execWorld({ steps: [step] })
    const run = await world.exec(['-m', 'gpt-0', 'hi'])
    expect(run).toMatchObject({ exitCode, stdout: '' })
    expect(run.stderr).toMatch(words)
    expect(run.stderr).toContain('Go on with: parley exec resume')
    const isRefused = run.stderr.includes('`/repair half`')
    expect(run.stderr.includes('opens a window; type /repair half there.')).toBe(isRefused)
  })
})

describe('without credentials the run ends with 3 and says what to do', () => {
  test('when nothing is configured', async () => {
    await using world = await execWorld()
    await world.writeConfig('')
    const { exitCode, stdout, stderr } = await world.exec(['hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
    expect(stderr).toMatch(
      /^parley: No model is configured: OPENAI_API_KEY, .*ANTHROPIC_API_KEY.* are not set.*parley demo.*\n$/,
    )
  })

  test('and names the mistyped key that may be why', async () => {
    await using world = await execWorld()
    await world.writeConfig('model_providr = "local"\n')
    const { exitCode, stderr } = await world.exec(['hi'])
    expect(exitCode).toBe(3)
    expect(stderr).toContain('Did you mean "model_provider"?')
  })

  test('when the key of the provider is not set', async () => {
    await using world = await execWorld({ provider: 'env_key = "LOCAL_KEY"' })
    const { result, end } = await world.execJson(['hi'])
    expect(result.exitCode).toBe(3)
    expect(end.failure).toEqual({ code: 'noCredentials', message: expect.stringContaining('set LOCAL_KEY') })
  })

  test('when there is no such provider', async () => {
    await using world = await execWorld()
    const { exitCode, stderr } = await world.exec(['-c', 'model_provider=lcal', 'hi'])
    expect(exitCode).toBe(3)
    expect(stderr).toContain('There is no model provider "lcal". Did you mean "local"?')
  })

  test('when env_key holds a key in place of the name of a variable, which is shown nowhere', async () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwx0123456789'
    await using world = await execWorld({ provider: `env_key = "${key}"` })
    const { result, end } = await world.execJson(['hi'])
    const listed = await world.parley('provider', 'list')
    expect(result.exitCode).toBe(3)
    expect(end.failure?.message).toContain('set (env_key names no variable)')
    expect(result.stderr).toContain('"model_providers.local.env_key" wants the name of a variable')
    expect(listed.stdout).toContain('(env_key names no variable)')
    expect([result.stdout, result.stderr, listed.stdout, listed.stderr].join('')).not.toContain(key)
  })
})

describe.concurrent('a provider that is not well is tried again, visibly:', () => {
  test('as late as it asks for', async () => {
    const limited = { status: 429, headers: { 'retry-after-ms': '300' } }
    await using world = await execWorld({ steps: [limited, ok] })
    const { result, events, end } = await world.execJson(['hi'])
    expect(result.exitCode).toBe(0)
    expect(end.answer).toBe('Fine now')
    const retry = events.find(({ type }) => type === 'retry.scheduled')
    expect(retry).toMatchObject({ attempt: 2, failure: { code: 'rateLimited', status: 429 } })
  })

  test.each<[string, object[], RegExp]>([
    ['after failures of its own', [bad(500), bad(503)], /is not answering.*Trying again in .*attempt 3/s],
    ['after an answer that was cut', [{ ...ok, cutAfterBytes: 700 }], /in the middle of the answer. Trying again/],
    ['after a stream that makes no sense', [{ raw: 'data: {oops\n\n' }], /something unreadable.*Trying again/],
    ['after a stream without an end', [{ raw: ': nothing\n\n' }], /ended its answer before it was complete/],
  ])('%s', async (_name, steps, words) => {
    await using world = await execWorld({ steps: [...steps, ok] as never })
    const { exitCode, stdout, stderr } = await world.exec(['hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Fine now\n' })
    expect(stderr).toMatch(words)
  })

  test('and given up with 8 after five attempts', async () => {
    await using world = await execWorld({ steps: Array.from({ length: 9 }, () => bad(500)) })
    const { exitCode, stderr } = await world.exec(['hi'])
    expect(exitCode).toBe(8)
    expect(world.model.requests).toHaveLength(5)
    expect(stderr.match(/Trying again in/g)).toHaveLength(4)
  })

  test('and its call goes to the next of fallback_models when the attempts are used up', async () => {
    await using world = await execWorld({ steps: [bad(500), bad(500), ok], provider: 'request_max_retries = 1' })
    const { exitCode, stdout, stderr } = await world.exec(['-c', 'fallback_models=["spare"]', 'hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Fine now\n' })
    expect(stderr).toContain('spare of local goes on in place of scripted until this turn ends.')
    expect(world.model.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
      'scripted',
      'scripted',
      'spare',
    ])
  })

  test('and given up with 8 when nobody listens', async () => {
    await using world = await execWorld({ provider: 'request_max_retries = 1' })
    await world.model[Symbol.asyncDispose]()
    const { result, end } = await world.execJson(['hi'])
    expect(result.exitCode).toBe(8)
    expect(result.stderr).toMatch(/Cannot reach Local at 127.0.0.1:\d+: nothing listens there/)
    expect(end).toMatchObject({ exitCode: 8, outcome: 'failed', failure: { code: 'unreachable' } })
  })
})

describe('an answer', () => {
  test('that is empty is a failure that says so', async () => {
    await using world = await execWorld({ steps: [{ text: '' }] })
    const { exitCode, stdout, stderr } = await world.exec(['hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('The turn ended without an answer.')
  })

  test('that the output limit cuts is a failure that says so, and no file has it', async () => {
    await using world = await execWorld({ steps: [{ text: 'half', incomplete: true }] })
    const { exitCode, stdout, stderr } = await world.exec(['-o', 'answer.md', 'hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain("it reached the model's output limit")
    await expect(access(world.path('answer.md'))).rejects.toThrow('ENOENT')
  })

  test('that the output limit cuts is named in the last line', async () => {
    await using world = await execWorld({ steps: [{ text: 'half', incomplete: true }] })
    const { end } = await world.execJson(['hi'])
    expect(end).toMatchObject({ outcome: 'failed', stopReason: 'outputLimit', failure: { code: 'outputLimit' } })
  })
})
