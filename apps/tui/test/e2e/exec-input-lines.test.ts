import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deliveredEnvelope, inputRejected, runEnded } from '@parley/protocol/schema'
import { hasFullSandbox, noFullSandbox, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type ExecWorld, execWorld, jsonRun, saidToModel, shell, toldModel } from './exec-world.ts'

const jsonl = ['--json', '--input-format', 'jsonl'] as const
const line = (value: object) => `${JSON.stringify(value)}\n`
const say = (text: string, more: object = {}) => line({ type: 'message', text, ...more })

/** Starts a run in this process and gives its lines so far. */
const start = (world: ExecWorld, args: readonly string[] = []) => linesOf(world.live([...jsonl, ...args]))

function linesOf<Run extends AsyncDisposable & { stdout(): string }>(run: Run) {
  const seen = (words: RegExp) => waitUntil(() => words.test(run.stdout()), { what: String(words) })
  const found = (words: RegExp) => words.exec(run.stdout())?.[1] ?? ''
  return { run, seen, found, [Symbol.asyncDispose]: () => run[Symbol.asyncDispose]() }
}

// One after the other, as runs in one process are: a wait for output would count the runs before.
describe('with --input-format jsonl', () => {
  test('each message of stdin is a turn, and the run ends after the last one', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    const { result, events, end } = await world.execJson(['--input-format', 'jsonl'], {
      stdin: `${say('first')}\n${say('second').trimEnd()}`,
    })
    expect(result.exitCode).toBe(0)
    expect(events.filter(({ type }) => type === 'turn.ended')).toHaveLength(2)
    expect(saidToModel(world)).toMatch(/"first".*"second"/)
    const usage = { inputTokens: 20, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0 }
    expect(end).toMatchObject({ exitCode: 0, answer: 'Two.', failure: null, usage })
  })

  test('a message that comes while the turn of the argument runs waits for its end', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await execWorld({ steps: [{ text: 'One.', gate: gate.promise }, { text: 'Two.' }] })
    await using started = start(world, ['first'])
    await started.seen(/"model.requested"/)
    started.run.write(say('second'))
    gate.resolve()
    await started.seen(/"One\."/)
    started.run.closeStdin()
    expect(jsonRun(await started.run.result).end).toMatchObject({ exitCode: 0, answer: 'Two.' })
  })

  test.each([
    ['goes into the turn that runs', 'Steered.', []],
    ['goes into the turn that runs, whose schema holds', '{"a":1}', ['--output-schema', 'answer.json']],
  ])('a steering message %s', async (_, text, flags) => {
    await using world = await execWorld({ steps: [shell('echo hi > fifo'), { text }] })
    await writeFile(world.path('answer.json'), '{"type":"object"}')
    await world.shell('mkfifo fifo')
    await using started = start(world, ['-s', 'danger-full-access', '-a', 'on-request', ...flags, 'first'])
    await started.seen(/"execution.started"/)
    started.run.write(say('and this', { when: 'steer' }))
    await started.seen(/"message.queued"|"input.rejected"/)
    await world.shell('cat fifo')
    started.run.closeStdin()
    const { events, end } = jsonRun(await started.run.result)
    expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(1)
    expect(saidToModel(world)).toMatch(/"first".*"and this"/)
    expect(end).toMatchObject({ exitCode: 0, answer: text, usage: { inputTokens: 20 } })
  })

  test('approvals are answered by lines, and denied once stdin has ended', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    const steps = [shell('touch a'), shell('touch b'), shell('touch c'), { text: 'Done.' }]
    await using world = await execWorld({ steps })
    await using started = start(world, ['hi'])
    const id = (title: string) => new RegExp(`"approval.requested","approval":\\{"id":"([^"]+)"[^}]*"title":"${title}"`)
    await started.seen(id('touch a'))
    started.run.write(line({ type: 'answer', approvalId: started.found(id('touch a')), decision: 'approved' }))
    await started.seen(id('touch b'))
    const no = { decision: 'denied', note: 'not b' }
    started.run.write(line({ type: 'answer', approvalId: started.found(id('touch b')), ...no }))
    await started.seen(id('touch c'))
    started.run.closeStdin()
    const { end } = jsonRun(await started.run.result)
    expect(end).toMatchObject({ exitCode: 0, denials: [{ title: 'touch b' }, { title: 'touch c' }] })
    expect((await world.shell('ls')).stdout).toBe('a\n')
    expect(toldModel(world).slice(-2)).toEqual([
      expect.stringContaining('not b'),
      expect.stringContaining('nobody is there to answer'),
    ])
  })

  test('approvals are denied at once where the caller cannot see them', async () => {
    await using world = await execWorld({ steps: [shell('touch a'), { text: 'Done.' }] })
    await using run = world.live(['--input-format', 'jsonl', '--output-format', 'result', 'hi'])
    await waitUntil(() => world.model.requests.length === 2, { what: 'the request after the denial' })
    run.closeStdin()
    expect(JSON.parse((await run.result).stdout)).toMatchObject({ exitCode: 0, denials: [{ title: 'touch a' }] })
  })

  test('a turn is interrupted by a line, and the next message is sent', async () => {
    await using world = await execWorld({ steps: [{ hang: 'mid', text: 'half', chunks: 2 }, { text: 'Whole.' }] })
    await using started = start(world, ['first'])
    await started.seen(/"item.delta"/)
    started.run.write(say('second') + line({ type: 'interrupt' }))
    await started.seen(/"Whole\."/)
    started.run.closeStdin()
    const { events, end } = jsonRun(await started.run.result)
    const outcomes = events.filter(({ type }) => type === 'turn.ended').map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['interrupted', 'completed'])
    expect(end).toMatchObject({ exitCode: 0, answer: 'Whole.' })
  })

  test('an interrupt is read behind hundreds of messages that wait', async () => {
    await using world = await execWorld({
      steps: [
        { hang: 'mid', text: 'half', chunks: 2 },
        { hang: 'mid', text: 'x' },
      ],
    })
    await using started = linesOf(world.start([...jsonl, 'first']))
    await started.seen(/"item.delta"/)
    started.run.write(say('more').repeat(300) + line({ type: 'interrupt' }))
    await started.seen(/"turn.ended"[^\n]*"outcome":"interrupted"/)
    started.run.signal('SIGTERM')
    const { result } = jsonRun(await started.run.result)
    expect(result.lines().filter((text) => text.includes('"input.rejected"')).length).toBeGreaterThan(290)
  })

  test('SIGTERM ends the turn that runs, while stdin stays open', async () => {
    await using world = await execWorld({ steps: [{ hang: 'mid', text: 'half', chunks: 2 }] })
    await using started = linesOf(world.start([...jsonl, 'first']))
    await started.seen(/"item.delta"/)
    started.run.signal('SIGTERM')
    expect(jsonRun(await started.run.result).end).toMatchObject({ exitCode: 143, outcome: 'interrupted' })
  })
})

/** Checks that each line of stdout is one that docs/scripting-events.md has. */
function expectPublished(lines: readonly string[]): void {
  for (const text of lines) {
    const value = JSON.parse(text)
    const schema = { 'run.ended': runEnded, 'input.rejected': inputRejected }[String(value.type)] ?? deliveredEnvelope
    expect(schema.parse(value), text).toEqual(value)
  }
}

test('a form of a tool server is filled in by a line, and every line is a published one', async () => {
  const ask = { calls: [{ name: 'mcp__ugly__ask', arguments: {} }] }
  await using world = await execWorld({ steps: [ask, { text: 'On main.' }] })
  const config = join(world.env.PARLEY_HOME, 'config.toml')
  const tools = fileURLToPath(
    new URL('../../../../packages/server/test/tools/mcp/support/ugly-server.mjs', import.meta.url),
  )
  const section = ['[mcp_servers.ugly]', `command = "${process.execPath}"`, `args = ["${tools}", "plain"]`]
  await writeFile(config, `\n${section.join('\n')}\n`, { flag: 'a' })
  await using started = start(world, ['hi'])
  const requested = /"approval.requested","approval":\{"id":"([^"]+)"[^\n]*"kind":"mcpTool"/
  const asked = /"approval.requested","approval":\{"id":"([^"]+)"[^\n]*"kind":"elicitation"/
  await started.seen(requested)
  started.run.write('oops\n')
  started.run.write(line({ type: 'answer', approvalId: started.found(requested), decision: 'approved' }))
  await started.seen(asked)
  const answers = { branch: 'main' }
  started.run.write(line({ type: 'answer', approvalId: started.found(asked), decision: 'approved', answers }))
  await started.seen(/"turn.ended"/)
  started.run.closeStdin()
  const { result, end } = jsonRun(await started.run.result)
  expect(end).toMatchObject({ exitCode: 2, answer: 'On main.', denials: [] })
  expect(toldModel(world).join()).toContain('main')
  expectPublished(result.lines())
})

describe.concurrent('a line of stdin without effect is reported with its number', () => {
  test.each<[string, string, RegExp]>([
    ['no JSON', 'oops', /It is not JSON/],
    ['no object', '[]', /expected object/],
    ['no type that is known', line({ type: 'shout' }), /type: Invalid/],
    ['an empty text', say(' '), /text: must not be empty/],
    ['a field that is unknown', say('hi', { wen: 'steer' }), /Unrecognized key: "wen"/],
    ['a decision that is unknown', line({ type: 'answer', approvalId: 'a', decision: 'yes' }), /decision: Invalid/],
    ['an image that does not exist', say('hi', { images: ['none.png'] }), /none\.png/],
  ])('%s, and the run ends with 2', async (_name, wrong, words) => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    const { result, end } = await world.execJson(['--input-format', 'jsonl'], {
      stdin: `\n${wrong.trimEnd()}\n${say('good')}`,
    })
    const rejected = result.lines().find((text) => text.includes('input.rejected')) ?? '{}'
    expect(JSON.parse(rejected)).toEqual({
      type: 'input.rejected',
      line: 2,
      failure: { code: expect.any(String), message: expect.stringMatching(words) },
    })
    expect(end).toMatchObject({ exitCode: 2, answer: 'Fine.', failure: { code: 'invalidInput' } })
    expect(end.failure?.message).toMatch(/^Line 2 of stdin has no effect: /)
  })

  test('an answer that comes too late, and the run ends as if it had not come', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    const late = line({ type: 'answer', approvalId: 'a-1', decision: 'approved' })
    const { result, end } = await world.execJson(['--input-format', 'jsonl'], { stdin: late + say('hi') })
    expect(result.stdout).toContain('"input.rejected","line":1,"failure":{"code":"approvalNotPending"')
    expect(end).toMatchObject({ exitCode: 0, answer: 'Fine.' })
  })

  test('on stderr where stdout is for the answer', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    const run = await world.exec(['--input-format', 'jsonl'], { stdin: `oops\n${say('hi')}` })
    expect(run).toMatchObject({ exitCode: 2, stdout: 'Fine.\n' })
    expect(run.stderr).toContain('parley: Line 1 of stdin has no effect: It is not JSON.\n')
  })

  test('and no message at all is a usage error', async () => {
    await using world = await execWorld()
    const { end } = await world.execJson(['--input-format', 'jsonl'], { stdin: '\n' })
    expect(end).toMatchObject({ exitCode: 2, failure: { message: 'stdin ended before a message came.' } })
  })
})

test.each([
  [['--stdin', 'hi'], /leave out --stdin/],
  [['-'], /leave out --stdin and -/],
  [['--experimental-json', 'hi'], /leave out --input-format jsonl/],
  [['-i', 'a.png'], /An image needs a prompt/],
])('--input-format jsonl with %j is a usage error', async (args, words) => {
  await using world = await execWorld()
  const { exitCode, stderr } = await world.exec(['--input-format', 'jsonl', ...args], { stdin: '' })
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(words) })
})

describe('--output-format result', () => {
  test('writes one JSON object at the end, and nothing else on stdout', async () => {
    await using world = await execWorld({ steps: [shell('cat a'), { text: 'Fine.' }], files: { a: '' } })
    const { stdout, exitCode } = await world.exec(['--output-format', 'result', 'hi'])
    expect(exitCode).toBe(0)
    expect(stdout.split('\n')).toHaveLength(2)
    expect(JSON.parse(stdout)).toEqual({
      type: 'run.ended',
      exitCode: 0,
      conversationId: expect.any(String),
      turnId: expect.any(String),
      outcome: 'completed',
      stopReason: 'done',
      answer: 'Fine.',
      failure: null,
      denials: [],
      usage: { inputTokens: 20, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0, costUsd: 0 },
    })
  })

  test.each([
    ['--output-format', 'result', '--nope'],
    ['--output-format=result', '-C', 'nowhere', 'hi'],
  ])('is there when the command line is wrong, too (%j %j %j)', async (...args) => {
    await using world = await execWorld()
    const { exitCode, stdout, stderr } = await world.exec(args)
    const { failure, ...end } = JSON.parse(stdout)
    expect({ exitCode, end }).toMatchObject({ exitCode: 2, end: { type: 'run.ended', exitCode: 2 } })
    expect(stderr).toContain(failure.message)
  })
})
