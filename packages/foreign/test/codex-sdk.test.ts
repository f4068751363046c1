import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ThreadEvent } from '@openai/codex-sdk'
import {
  type AnswerStep,
  expectTranscript,
  smallPng as png,
  recordTranscript,
  withoutSandboxLine,
} from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test, vi } from 'vitest'
import { codexWorld, newestInput } from './codex-world.ts'
import { referenceServer } from './mcp-client/talk.ts'

vi.setConfig({ testTimeout: 60_000 })

const fullAccess = { sandboxMode: 'danger-full-access', skipGitRepoCheck: true } as const
const shell = (command: string): AnswerStep => ({ calls: [{ name: 'shell', arguments: { command } }] })

async function collect(events: AsyncGenerator<ThreadEvent>): Promise<ThreadEvent[]> {
  const seen: ThreadEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

describe('the published Codex SDK', () => {
  test('starts a thread and gets the answer, its items and the usage of the turn', async () => {
    const usage = { input: 100, cached: 40, output: 20, reasoning: 5 }
    await using world = await codexWorld([{ reasoning: 'Let me think.', text: 'Hello.', usage }])
    const thread = world.codex().startThread({ workingDirectory: world.cwd, model: 'gpt-5', ...fullAccess })
    expect(thread.id).toBeNull()
    const turn = await thread.run('say hello')
    expect(turn).toEqual({
      finalResponse: 'Hello.',
      items: [
        { id: 'item_0', type: 'reasoning', text: 'Let me think.' },
        { id: 'item_1', type: 'agent_message', text: 'Hello.' },
      ],
      usage: {
        input_tokens: 100,
        cached_input_tokens: 40,
        cache_write_input_tokens: 0,
        output_tokens: 20,
        reasoning_output_tokens: 5,
      },
    })
    expect(thread.id).toMatch(/^[0-9a-f-]{36}$/)
    const [request] = world.model.requests
    expect(request?.headers.authorization).toBe('Bearer a-key-of-the-caller')
    expect(request?.body).toMatchObject({ model: 'gpt-5' })
  })

  test.runIf(isLong)('streams a command and a patch from their beginning to their end', async () => {
    const patch = ['*** Begin Patch', '*** Add File: hello.txt', '+hello', '*** End Patch', ''].join('\n')
    await using world = await codexWorld([
      shell('echo out; exit 3'),
      { calls: [{ name: 'apply_patch', arguments: { patch } }] },
      { text: 'finished' },
    ])
    const thread = world.codex().startThread({ workingDirectory: world.cwd, ...fullAccess })
    const { events } = await thread.runStreamed('work')
    const seen = await collect(events)
    expect(seen.map((event) => ('item' in event ? `${event.type} ${event.item.id}` : event.type))).toEqual([
      'thread.started',
      'turn.started',
      'item.started item_0',
      'item.completed item_0',
      'item.started item_1',
      'item.completed item_1',
      'item.completed item_2',
      'turn.completed',
    ])
    expect(seen[3]).toMatchObject({
      item: { type: 'command_execution', aggregated_output: 'out\n', exit_code: 3, status: 'failed' },
    })
    const path = join(world.cwd, 'hello.txt')
    expect(seen[5]).toMatchObject({
      item: { type: 'file_change', changes: [{ path, kind: 'add' }], status: 'completed' },
    })
    expect(await readFile(path, 'utf8')).toBe('hello\n')
  })

  test('goes on with its thread, in the same object and in a new one', async () => {
    await using world = await codexWorld([{ text: 'one' }, { text: 'two' }, { text: 'three' }])
    const thread = world.codex().startThread({ workingDirectory: world.cwd })
    await thread.run('first')
    const { id } = thread
    const second = await thread.run('second')
    expect(thread.id).toBe(id)
    expect(second.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 })
    const resumed = world.codex().resumeThread(id ?? '', { modelReasoningEffort: 'high' })
    expect((await resumed.run('third')).finalResponse).toBe('three')
    expect(resumed.id).toBe(id)
    const last = world.model.requests.at(-1)
    expect(last?.body).toMatchObject({ reasoning: { effort: 'high' } })
    expect(last?.text).toContain('first')
    expect(last?.text).toContain('two')
  })

  test('holds the answer to a schema', async () => {
    const outputSchema = {
      type: 'object',
      properties: { status: { type: 'string', enum: ['ok', 'bad'] } },
      required: ['status'],
      additionalProperties: false,
    }
    await using world = await codexWorld([{ text: 'Sure!' }, { text: '{"status":"ok"}' }])
    const thread = world.codex().startThread({ workingDirectory: world.cwd })
    const turn = await thread.run('report', { outputSchema })
    expect(JSON.parse(turn.finalResponse)).toEqual({ status: 'ok' })
    expect(turn.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 })
    expect(world.model.requests[0]?.body).toMatchObject({
      text: { format: { type: 'json_schema', strict: true, schema: outputSchema } },
    })
  })

  test.runIf(isLong)('hears that an answer does not satisfy its schema', async () => {
    await using world = await codexWorld([{ text: '{}' }, { text: 'Sorry.' }])
    const thread = world.codex().startThread({ workingDirectory: world.cwd })
    const turn = thread.run('report', { outputSchema: { type: 'object', required: ['status'] } })
    await expect(turn).rejects.toThrow('The answer does not satisfy the output schema: it is not JSON.')
  })

  test('sends images beside the text', async () => {
    await using world = await codexWorld([{ text: 'A picture.' }], { 'shot.png': png })
    const thread = world.codex().startThread({ workingDirectory: world.cwd })
    await thread.run([
      { type: 'text', text: 'What is this?' },
      { type: 'local_image', path: join(world.cwd, 'shot.png') },
      { type: 'text', text: 'Be short.' },
    ])
    const [request] = world.model.requests
    expect(request === undefined ? [] : newestInput(request)).toEqual([
      { type: 'input_text', text: 'What is this?\n\nBe short.' },
      { type: 'input_image', image_url: `data:image/png;base64,${png.toString('base64')}` },
    ])
  })

  test('takes every option that it offers, and says what has no effect', async () => {
    await using world = await codexWorld([{ text: 'done' }])
    const codex = world.codex({ config: { model_verbosity: 'low' }, configOverrides: ['model_context_window=1000'] })
    const thread = codex.startThread({
      workingDirectory: world.cwd,
      additionalDirectories: [world.cwd],
      sandboxMode: 'workspace-write',
      approvalPolicy: 'never',
      modelReasoningEffort: 'low',
      networkAccessEnabled: true,
      webSearchMode: 'disabled',
      threadSource: 'a-test',
      skipGitRepoCheck: true,
    })
    const { items, finalResponse } = await thread.run('go', { cyberAccessProgram: 'standard' })
    expect(finalResponse).toBe('done')
    const said = items.filter((item) => item.type === 'error').map(({ message }) => `parley: ${message}\n`)
    const told = withoutSandboxLine(said.join(''))
    const flags = ['--cyber-access-program', '-c: "model_verbosity"', '-c: "web_search"']
    expect(told).toBe(flags.map((flag) => `parley: ${flag} has no effect in parley.\n`).join(''))
  })

  test.runIf(isLong)('configures an MCP server, whose tools are called', async () => {
    await using world = await codexWorld([
      { calls: [{ name: 'mcp__memory__read_graph', arguments: {} }] },
      { text: 'ok' },
    ])
    const memory = {
      command: process.execPath,
      args: [referenceServer('memory')],
      env: { MEMORY_FILE_PATH: join(world.cwd, 'memory.jsonl') },
    }
    const thread = world.codex({ config: { mcp_servers: { memory } } }).startThread({
      workingDirectory: world.cwd,
      ...fullAccess,
    })
    const { items } = await thread.run('What do you remember?')
    expect(items[0]).toMatchObject({
      type: 'mcp_tool_call',
      server: 'memory',
      tool: 'read_graph',
      arguments: {},
      result: { content: [{ type: 'text', text: expect.stringContaining('"entities": []') }] },
      error: null,
      status: 'completed',
    })
    await world.quiet()
  })

  test('hears why a turn failed', async () => {
    const refused = { status: 401, body: { error: { message: 'no such key', code: 'invalid_api_key' } } }
    await using world = await codexWorld([refused])
    const thread = world.codex().startThread({ workingDirectory: world.cwd })
    await expect(thread.run('go')).rejects.toThrow('no such key')
    await world.quiet()
  })

  test.runIf(isLong)('hears that a thread is unknown', async () => {
    await using world = await codexWorld([])
    const thread = world.codex().resumeThread('0190a5a2-0000-7000-8000-000000000000')
    await expect(thread.run('go')).rejects.toThrow('0190a5a2-0000-7000-8000-000000000000')
  })

  test('stops a turn, and nothing of it is left running', async () => {
    await using world = await codexWorld([shell('echo going; sleep 1000'), { text: 'never said' }])
    const controller = new AbortController()
    const thread = world.codex().startThread({ workingDirectory: world.cwd, ...fullAccess })
    const { events } = await thread.runStreamed('go', { signal: controller.signal })
    const seen: string[] = []
    const run = async () => {
      for await (const event of events) {
        seen.push(event.type)
        if (event.type === 'item.started') controller.abort()
      }
    }
    await expect(run()).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen.at(-1)).toBe('item.completed')
    await world.quiet()
  })

  test.runIf(isLong)('rejects a run that its signal stopped with an AbortError', async () => {
    await using world = await codexWorld([{ text: 'half', hang: 'mid' }])
    const controller = new AbortController()
    const thread = world.codex().startThread({ workingDirectory: world.cwd })
    const turn = thread.run('go', { signal: controller.signal })
    await world.model.nextRequest()
    controller.abort()
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' })
    await world.quiet()
  })

  test.runIf(isLong)('leaves early, and nothing of the turn is left running', async () => {
    await using world = await codexWorld([shell('sleep 1000')])
    const thread = world.codex().startThread({ workingDirectory: world.cwd, ...fullAccess })
    const { events } = await thread.runStreamed('go')
    for await (const event of events) if (event.type === 'item.started') break
    await world.quiet()
  })
})

describe('the page for users of the Codex SDK', () => {
  test('shows a session as it is', async () => {
    const steps = [
      { reasoning: 'First a plan.', calls: [plan('in_progress', 'pending')] },
      shell('cat greeting.txt'),
      { calls: [patchCall('*** Update File: greeting.txt', '-helo', '+hello'), plan('completed', 'completed')] },
      { text: 'The greeting is spelled right now.' },
    ]
    await using world = await codexWorld(steps, { 'greeting.txt': 'helo\n' })
    const session = recordTranscript()
    const prompt = 'Fix the spelling in greeting.txt.'
    session.remark('thread.runStreamed(prompt) of the SDK: the prompt goes to stdin', { prompt })
    const thread = world.codex().startThread({ workingDirectory: world.cwd, ...fullAccess })
    const { events } = await thread.runStreamed(prompt)
    for await (const event of events) session.message('<', event)
    expectTranscript('docs/transcripts/codex-sdk.jsonl', session.entries, {
      places: { $WORK: world.cwd },
      texts: [[/^\S+ -c /, 'sh -c ']],
    })
  })

  test('has an example that runs', async () => {
    await using world = await codexWorld([shell('ls'), { text: 'A file.' }, { text: '{"summary":"One file."}' }])
    const page = await readFile(new URL('../../../docs/codex-sdk.md', import.meta.url), 'utf8')
    const [, example = ''] = /```js\n(.*?)```/s.exec(page) ?? []
    const { stdout, stderr } = await world.runExample(example)
    expect(stdout, stderr).toMatch(/^\S+ -c ls\nOne file\.\n$/)
  })
})

function plan(...statuses: readonly string[]) {
  const steps = ['Read the greeting', 'Correct it']
  return { name: 'update_plan', arguments: { plan: steps.map((step, at) => ({ step, status: statuses[at] })) } }
}

function patchCall(...lines: readonly string[]) {
  return {
    name: 'apply_patch',
    arguments: { patch: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n') },
  }
}
