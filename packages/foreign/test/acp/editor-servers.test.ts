import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type McpServer, methods, type NewSessionResponse } from '@agentclientprotocol/sdk'
import { hasFullSandbox, noFullSandbox } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { fieldsOf, referenceServer } from '../mcp-client/talk.ts'
import { makeWorld, type World } from '../mcp-server/world.ts'
import { choose, type Editor, startEditor } from './acp-client.ts'

// Each test starts processes, on a machine that may have other work.
vi.setConfig({ testTimeout: 120_000 })

// The programs of a checkout below /tmp are not there in the sandbox, where /tmp is another.
const isHidden = process.execPath.startsWith('/tmp/')
const why = isHidden ? 'the checkout is below /tmp' : noFullSandbox

const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] })

/** Servers of npm as an editor hands them over. */
function servers({ cwd }: World): McpServer[] {
  const one = (name: string, args: string[], env: McpServerEnv = []) => ({ name, command: process.execPath, args, env })
  return [
    one('everything', [referenceServer('everything'), 'stdio']),
    one('files', [referenceServer('filesystem'), '.']),
    one('memory', [referenceServer('memory')], [{ name: 'MEMORY_FILE_PATH', value: join(cwd, 'memory.jsonl') }]),
  ]
}

type McpServerEnv = { readonly name: string; readonly value: string }[]

const steps = [
  call('mcp__everything__get-sum', { a: 2, b: 3 }),
  call('mcp__files__list_directory', { path: '.' }),
  call('mcp__memory__create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] }),
  { text: 'Done.' },
]

const isStart = ({ toolCall }: Editor['questions'][number]) => toolCall.toolCallId.startsWith('editor-server-')

function open({ agent }: Editor, cwd: string, mcpServers: McpServer[]): Promise<NewSessionResponse> {
  return agent.request(methods.agent.session.new, { cwd, mcpServers })
}

function ask({ agent }: Editor, sessionId: string) {
  return agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'go' }] })
}

/** Results of the calls, as the model got them with its newest request. */
function told({ model }: World): readonly string[] {
  const { input } = fieldsOf(model.requests.at(-1)?.body)
  const entries = Array.isArray(input) ? input.map(fieldsOf) : []
  return entries.flatMap(({ type, output }) => (type === 'function_call_output' ? [String(output)] : []))
}

test('servers of npm that an editor hands over are asked about once, and used in the sandbox', async (context) => {
  context.skip(!hasFullSandbox || isHidden, why)
  const recall = [call('mcp__memory__read_graph', {}), { text: 'Done.' }]
  await using world = await makeWorld([...steps, ...recall], 'on-request')
  writeFileSync(join(world.cwd, 'a.txt'), 'alpha')
  const mcpServers = servers(world)
  const { cwd } = world
  const sessionId = await (async () => {
    await using editor = await startEditor(world)
    const session = await open(editor, cwd, mcpServers)
    expect(await ask(editor, session.sessionId)).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.questions.filter(isStart)).toHaveLength(3)
    return session.sessionId
  })()
  expect(told(world)).toEqual([
    expect.stringContaining('The sum of 2 and 3 is 5.'),
    expect.stringContaining('[FILE] a.txt'),
    expect.stringContaining('Ada'),
  ])
  await using later = await startEditor(world)
  await later.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers })
  expect(await ask(later, sessionId)).toMatchObject({ stopReason: 'end_turn' })
  expect(later.questions.filter(isStart)).toEqual([])
  expect(told(world).at(-1)).toContain('Ada')
})

test('a server of npm runs as the user does where the configuration says so', async () => {
  const remember = call('mcp__memory__create_entities', {
    entities: [{ name: 'Bo', entityType: 'person', observations: ['draws'] }],
  })
  await using world = await makeWorld([remember, { text: 'Done.' }], 'on-request')
  const home = world.env['PARLEY_HOME'] ?? ''
  appendFileSync(join(home, 'config.toml'), '[acp]\neditor_servers = "own"\n')
  const env = [{ name: 'MEMORY_FILE_PATH', value: join(home, 'memory.jsonl') }]
  const memory = { name: 'memory', command: process.execPath, args: [referenceServer('memory')], env }
  await using editor = await startEditor(world)
  const { cwd } = world
  const { sessionId } = await open(editor, cwd, [memory])
  expect(await ask(editor, sessionId)).toMatchObject({ stopReason: 'end_turn' })
  expect(told(world)).toEqual([expect.stringContaining('Bo')])
  expect(JSON.stringify(editor.questions.find(isStart))).toContain('outside any sandbox')
})

test('a server of an editor that is declined is not started', async () => {
  await using world = await makeWorld([{ text: 'Done.' }], 'on-request')
  await using editor = await startEditor(world, () => choose('denied'))
  const { cwd } = world
  const { sessionId } = await open(editor, cwd, servers(world))
  expect(await ask(editor, sessionId)).toMatchObject({ stopReason: 'end_turn' })
  expect(editor.questions).toHaveLength(3)
  expect(JSON.stringify(world.model.requests.at(-1)?.body)).not.toContain('mcp__')
})

test('servers for a session that another process has open are not started', async () => {
  await using world = await makeWorld([{ text: 'Done.' }, { text: 'Done.' }], 'on-request')
  await using editor = await startEditor(world)
  const { cwd } = world
  const { sessionId } = await open(editor, cwd, [])
  await ask(editor, sessionId)
  await using other = await startEditor(world)
  await other.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: servers(world) })
  expect(await ask(other, sessionId)).toMatchObject({ stopReason: 'end_turn' })
  expect(other.questions).toEqual([])
  expect(other.said('agent_message_chunk').match(/are not started[^\n]*/g)).toEqual([
    expect.stringContaining('the conversation is open in another process'),
  ])
})
