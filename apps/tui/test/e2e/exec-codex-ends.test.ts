import { type CliOptions, commandOf, runCli } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

const hanging = { hang: 'mid', text: 'half of an answer', chunks: 4 } as const
const unknownId = '0190a5a2-0000-7000-8000-000000000000'

function eventsOf(lines: readonly string[]): { type: string; error?: { message: string } }[] {
  return lines.map((line) => JSON.parse(line))
}

describe.concurrent('for callers of the Codex SDK every run ends with a line that says so:', () => {
  test.each<[string, number, RegExp, readonly string[], CliOptions?]>([
    ['an unknown flag', 2, /unknown option '--sandboxx'/, ['--sandboxx', 'read-only', 'go']],
    ['a value that is none of a flag', 2, /Allowed choices/, ['--sandbox', 'none', 'go']],
    ['two formats', 2, /one format, not json and codex/, ['--json', 'go']],
    ['a config value that does not fit', 2, /approval_policy/, ['-c', 'approval_policy="always"', 'go']],
    ['an empty prompt', 2, /prompt is empty/, [], { stdin: '' }],
    ['a schema that is not there', 2, /no-such\.json/, ['--output-schema', 'no-such.json', 'go']],
    ['an image that is not there', 2, /no-such\.png/, ['--image', 'no-such.png', 'go']],
    ['a folder that is not there', 2, /no-such-folder/, ['--cd', 'no-such-folder', 'go']],
    ['an unknown thread', 5, /0190a5a2/, ['resume', unknownId, 'go']],
    ['no thread to go on with', 5, /no conversation/i, ['resume', '--last', 'go']],
    ['an unknown name', 5, /no-such-name/, ['resume', 'no-such-name', 'go']],
    ['a provider that is none', 3, /no model provider "nobody"/, ['-c', 'model_provider="nobody"', 'go']],
    ['a turn that failed', 1, /script has no step/, ['go']],
  ])('%s', async (_name, exitCode, words, args, options) => {
    await using world = await execWorld()
    const result = await world.exec(['--experimental-json', ...args], options)
    expect(result.exitCode, result.stderr).toBe(exitCode)
    const events = eventsOf(result.lines())
    const [error, failed] = events.slice(-2)
    expect(error).toMatchObject({ type: 'error', message: expect.stringMatching(words) })
    expect(failed).toMatchObject({ type: 'turn.failed', error: { message: expect.stringMatching(words) } })
    expect(events.filter(({ type }) => type.startsWith('turn.f') || type === 'turn.completed')).toHaveLength(1)
  })

  test('a home that cannot be read', async () => {
    const result = await runCli(['exec', '--output-format', 'codex', 'go'], {
      env: { HOME: '', PARLEY_HOME: '/dev/null/x' },
    })
    expect(result.exitCode).toBe(2)
    expect(eventsOf(result.lines()).at(-1)).toMatchObject({ type: 'turn.failed' })
  })

  test.each<['SIGINT' | 'SIGTERM', number, readonly string[]]>([
    ['SIGINT', 130, ['error', 'turn.failed']],
    // The SDK stops a run by it and rejects by itself.
    ['SIGTERM', 143, []],
  ])('%s', async (signal, exitCode, lastLines) => {
    await using world = await execWorld({ steps: [shell('sleep 300')] })
    await using run = world.start(['--experimental-json', ...fullAccess, 'go'])
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('item.started')
    run.signal(signal)
    const result = await run.result
    expect(result.exitCode).toBe(exitCode)
    const events = eventsOf(result.lines())
    expect(events.map(({ type }) => type)).toEqual([
      'thread.started',
      'turn.started',
      'item.started',
      'item.completed',
      ...lastLines,
    ])
    expect(result.stderr).toContain(`by ${signal}.`)
    expect(run.processes()).toEqual([])
  })

  test('a server that was killed', async () => {
    await using world = await execWorld({ steps: [hanging] })
    await using run = world.start(['--experimental-json', 'go'])
    await world.model.nextRequest()
    for (const pid of run.processes()) {
      if (commandOf(pid).includes('server.mjs')) process.kill(pid, 'SIGKILL')
    }
    const result = await run.result
    expect(result.exitCode).toBe(70)
    const message = 'The server was ended by SIGKILL.'
    expect(eventsOf(result.lines()).at(-1)).toEqual({ type: 'turn.failed', error: { message } })
  })

  test('the time limit', async () => {
    await using world = await execWorld({ steps: [hanging] })
    const result = await world.exec(['--experimental-json', '--timeout', '0.5s', 'go'])
    expect(result.exitCode).toBe(7)
    expect(eventsOf(result.lines()).at(-1)?.error?.message).toContain('time limit')
  })

  test('an approval that nobody answers', async () => {
    await using world = await execWorld({ steps: [shell('touch x'), { text: '' }] })
    const result = await world.exec(['--experimental-json', '-a', 'untrusted', 'go'])
    expect(result.exitCode).toBe(4)
    expect(result.lines().join('\n')).toContain('"status":"declined"')
    expect(eventsOf(result.lines()).at(-1)?.error?.message).toContain('1 request was not allowed')
  })
})

describe.concurrent('a caller of the Codex SDK', () => {
  test('chooses its key, which outranks the one of the machine', async () => {
    await using world = await execWorld({ steps: [{ text: 'yes' }, { text: 'yes' }] })
    await world.writeConfig('')
    const env = { ...world.env, CODEX_API_KEY: 'chosen-key', OPENAI_API_KEY: 'machine-key' }
    const place = ['-c', `openai_base_url="${world.model.url}"`]
    await world.exec(['--experimental-json', ...place, 'go'], { env })
    await world.exec([...place, 'go'], { env })
    const keys = world.model.requests.map(({ headers }) => headers.authorization)
    expect(keys).toEqual(['Bearer chosen-key', 'Bearer machine-key'])
  })

  test('needs no other key than its own', async () => {
    await using world = await execWorld({ steps: [{ text: 'yes' }] })
    await world.writeConfig(`openai_base_url = "${world.model.url}"`)
    const { exitCode } = await world.exec(['go'], { env: { ...world.env, CODEX_API_KEY: 'only-key' } })
    expect(exitCode).toBe(0)
    expect(world.model.requests[0]?.headers.authorization).toBe('Bearer only-key')
  })

  test('is named in the log', async () => {
    await using world = await execWorld({ steps: [{ text: 'yes' }] })
    const { events } = await world.execJson(['--thread-source', 'nightly', 'go'])
    expect(events.find(({ type }) => type === 'item.completed')).toMatchObject({ item: { by: { name: 'nightly' } } })
  })

  test('speaks of its providers with the keys of Codex, before the word resume and after it', async () => {
    await using world = await execWorld({ steps: [{ text: 'yes' }, { text: 'again' }] })
    const { end } = await world.execJson(['go'])
    const header = 'model_providers.local.http_headers={"x-from"="codex"}'
    const args = ['-c', header, 'resume', '-c', 'model_reasoning_effort="high"', end.conversationId, 'more']
    expect((await world.exec(args)).stdout).toBe('again\n')
    const [, request] = world.model.requests
    expect(request?.headers['x-from']).toBe('codex')
    expect(request?.body).toMatchObject({ reasoning: { effort: 'high' } })
  })
})
