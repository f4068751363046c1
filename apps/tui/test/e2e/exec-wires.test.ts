import {
  anthropicFrames,
  chatFrames,
  createMessagesCache,
  createPrefixCache,
  type PromptCache,
  type RecordedRequest,
  responsesFrames,
  type ScriptedStep,
  type Wire as WireName,
  withoutSandboxLine,
} from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { execWorld } from './exec-world.ts'

const wires = [
  ['responses', 'gpt-5', createPrefixCache],
  ['chat', 'deepseek-chat', createPrefixCache],
  ['anthropic', 'claude-sonnet-5', createMessagesCache],
  ['gemini', 'gemini-3-pro-preview', createPrefixCache],
] as const

const files = Object.fromEntries(
  Array.from({ length: 10 }, (_, nth) => [
    `src/part-${nth}.ts`,
    `export const value${nth} = ${nth} // one of ten\n`.repeat(40),
  ]),
)
const tokensOf = (bytes: number) => Math.ceil(bytes / 4)

/** Returns ten answers with a call each and an eleventh without; usage is what a provider's cache would count. */
function tenCalls(cache: PromptCache): readonly ScriptedStep[] {
  const counted = (request: RecordedRequest) => {
    const { totalBytes, cachedBytes } = cache.take(request.text)
    return { input: tokensOf(totalBytes), cached: tokensOf(cachedBytes), output: 60, reasoning: 20 }
  }
  const calls = Object.keys(files).map(
    (path): ScriptedStep =>
      (request) => ({
        reasoning: `Next is ${path}.`,
        text: `Reading ${path}.`,
        calls: [{ name: 'read_file', arguments: { path } }],
        usage: counted(request),
      }),
  )
  return [...calls, (request) => ({ text: 'All ten read.', usage: counted(request) })]
}

describe.each(wires)('a turn of ten calls on the %s wire', (wire: WireName, model, createCache) => {
  it('reads nearly all of each request from the cache of the provider, and counts what that says', async () => {
    const settings = ['-m', model, '-c', `model_providers.local.wire_api="${wire}"`]
    await using world = await execWorld({ steps: tenCalls(createCache()), files })
    const { result, end } = await world.execJson([...settings, 'Read the ten parts.'])
    expect(withoutSandboxLine(result.stderr)).toBe('')
    expect(end).toMatchObject({ outcome: 'completed', answer: 'All ten read.' })
    const { requests } = world.model
    expect(requests).toHaveLength(11)
    const cache = createCache()
    const uses = requests.map(({ text }) => cache.take(text))
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
    const input = sum(uses.map(({ totalBytes }) => tokensOf(totalBytes)))
    const cached = sum(uses.map(({ cachedBytes }) => tokensOf(cachedBytes)))
    expect(end).toHaveProperty('usage.inputTokens', input)
    expect(end).toHaveProperty('usage.cachedInputTokens', cached)
    // All requests together read hardly more than the last one anew.
    expect(input - cached).toBeLessThan(tokensOf(uses.at(-1)?.totalBytes ?? 0) * 1.05)
    const bytes = sum(requests.map(({ text }) => Buffer.byteLength(text)))
    if (process.env['PARLEY_PRINT_FIGURES'] === '1')
      process.stdout.write(`${[wire, requests.length, bytes, input, cached, cached / input].join(' | ')}\n`)
  })
})

describe.each([
  ['responses', responsesFrames],
  ['chat', chatFrames],
  ['anthropic', anthropicFrames],
] as const)('a call on the %s wire', (wire, framesOf) => {
  it('whose arguments do not end is stopped at 4 MiB, and the model is not asked again', async () => {
    const frames = framesOf({ calls: [{ name: 'shell', arguments: `{"command":"${'x'.repeat(5 << 20)}` }] }, 1)
    const longest = frames.findIndex((frame) => frame.length > 5 << 20)
    await using world = await execWorld({ steps: [{ raw: frames.slice(0, longest + 1).join('') }] })
    const { end } = await world.execJson(['-c', `model_providers.local.wire_api="${wire}"`, 'hello'])
    expect(end.failure).toMatchObject({ code: 'responseTooLarge' })
    expect(world.model.requests).toHaveLength(1)
  })
})

it('a conversation that changes its wire with each turn keeps what was said, done and found', async () => {
  const order = [...wires, ...wires]
  const steps = order.flatMap(([wire], turn): readonly ScriptedStep[] => [
    {
      reasoning: `thought-${wire}-${turn}`,
      text: `Looking-${turn}.`,
      calls: [{ name: 'read_file', arguments: { path: `src/part-${turn}.ts` } }],
    },
    { text: `Done-${turn}.` },
  ])
  await using world = await execWorld({ steps, files })
  for (const [turn, [wire, model]] of order.entries()) {
    const resume = turn === 0 ? [] : ['resume', '--last']
    const settings = ['-m', model, '-c', `model_providers.local.wire_api="${wire}"`]
    const { stdout } = await world.exec([...settings, ...resume, `Ask-${turn}.`])
    expect(stdout).toBe(`Done-${turn}.\n`)
    const { text } = world.model.requests.at(-1) ?? { text: '' }
    expect(world.model.requests.at(-1)?.wire).toBe(wire)
    for (let earlier = 0; earlier <= turn; earlier += 1)
      for (const word of [`Ask-${earlier}.`, `Looking-${earlier}.`, `value${earlier} = ${earlier} `])
        expect(text).toContain(word)
    expect([...text.matchAll(/thought-(\w+)-/g)].filter(([, of]) => of !== wire)).toEqual([])
  }
})

const apiError = { type: 'error', error: { type: 'api_error', message: 'Internal server error' } }
const emptyAnswer = { candidates: [{ content: { role: 'model' }, finishReason: 'STOP', index: 0 }] }

describe('an answer that is asked for again', () => {
  it.each([
    ['an error in a stream whose status was 200', 'anthropic', halfAnswer() + dataOf(apiError)],
    ['a stream that breaks off after a call', 'anthropic', halfAnswer()],
    ['an answer without text or calls', 'gemini', dataOf(emptyAnswer)],
  ])('after %s is given once, and no call of the first one is run', async (_what, wire, raw) => {
    await using world = await execWorld({ steps: [{ raw }, { text: 'Hi' }], files })
    const { end, events } = await world.execJson(['-c', `model_providers.local.wire_api="${wire}"`, 'hello'])
    expect(end).toMatchObject({ outcome: 'completed', answer: 'Hi' })
    expect(world.model.requests.map(({ text }) => text)).toEqual([
      world.model.requests[0]?.text,
      world.model.requests[0]?.text,
    ])
    expect(events.filter(({ type }) => type === 'execution.started')).toEqual([])
  })
})

/** A Messages stream with text and a whole call, but without the reason to stop. */
function halfAnswer(): string {
  const call = { name: 'read_file', arguments: { path: 'src/part-0.ts' } }
  return anthropicFrames({ text: 'Looking.', calls: [call] }, 1)
    .slice(0, -2)
    .join('')
}

function dataOf(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

const chat = ['-m', 'qwen3', '-c', 'model_providers.local.wire_api="chat"']

describe('a local server', () => {
  it.each([
    ['in a field of its own', { reasoning: 'Hm.', text: 'Hi' }],
    ['between <think> tags', { text: '<think>Hm.</think>\n\nHi', chunks: 9 }],
  ])('that sends its reasoning %s has it shown as raw reasoning, not as the answer', async (_how, step) => {
    await using world = await execWorld({ steps: [step] })
    const { end, events } = await world.execJson([...chat, 'hello'])
    expect(end).toMatchObject({ outcome: 'completed', answer: 'Hi' })
    expect(events).toContainEqual(
      expect.objectContaining({ item: expect.objectContaining({ type: 'reasoning', raw: true, text: 'Hm.' }) }),
    )
  })

  const page = '<!doctype html>\n<title>Sign in</title>'
  const noTools = { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } }
  const manyTools = { error: { message: "Invalid 'tools': array too long. Expected at most 128.", param: 'tools' } }
  it.each<readonly [string, ScriptedStep, string, RegExp]>([
    [
      'has no tools',
      { status: 500, body: noTools },
      'toolsUnsupported',
      /"qwen3" of Local does not call tools.*--jinja/,
    ],
    ['takes fewer tools', { status: 400, body: manyTools }, 'tooManyTools', /enabled_tools of your MCP servers/],
    ['sends a web page', { raw: page }, 'unexpectedReply', /Check base_url and wire_api/],
    [
      'speaks another API',
      { raw: anthropicFrames({ text: 'Hi' }, 1).join('') },
      'unexpectedReply',
      /wire_api = "anthropic"/,
    ],
  ])('that %s is asked once, and the failure says what to do', async (_what, step, code, words) => {
    await using world = await execWorld({ steps: [step] })
    const { result, end } = await world.execJson([...chat, 'hello'])
    expect(result.exitCode).toBe(1)
    expect(end.failure).toMatchObject({ code, message: expect.stringMatching(words) })
    expect(world.model.requests).toHaveLength(1)
  })
})
