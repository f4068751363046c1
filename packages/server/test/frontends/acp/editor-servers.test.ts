import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type McpServer, methods } from '@agentclientprotocol/sdk'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import { openSandboxes } from '@parley/host'
import { waitUntil } from '@parley/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { noEditorServers } from '../../../src/programs/named-servers.ts'
import { boxSection } from '../../environments/support/config-for.ts'
import { startFarMachine } from '../../environments/support/far-machine.ts'
import { calling, type McpPlace, mcpPlace } from '../../tools/mcp/support/mcp-place.ts'
import { nosyServer } from '../../tools/mcp/support/nosy-server.ts'
import { choose, openEditor } from './editor.ts'
import { answers, argsOf, envOf, handed, mcpPatience, startsAsked } from './handed-servers.ts'

const offeredTo = (model: ScriptedModel) => model.requests.at(-1)?.tools.map(({ name }) => name) ?? []

describe('a server that an editor hands over', () => {
  it('is asked about once, in all that a yes covers, and its tools are used in the sandbox', async () => {
    await using place = mcpPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const model = scriptedModel(calling('echo', { said: 'hi' }), { text: 'Done.' }, { text: 'a' }, { text: 'b' })
    const server = place.start({ model, mcpPatience, sandboxes })
    const ofEditor = handed(place, { API_TOKEN: 'value-1' })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd, [ofEditor])
    await editor.say(sessionId, 'go')
    const [question, ...others] = startsAsked(editor)
    expect(others).toEqual([])
    expect(question?.toolCall.title).toBe('Start the MCP server “ugly” that this editor hands over')
    const text = JSON.stringify(question?.toolCall.content)
    for (const said of [
      process.execPath,
      'ugly-server.mjs plain',
      `in ${place.cwd}`,
      'API_TOKEN',
      'in the sandbox: it changes files in',
    ])
      expect(text).toContain(said)
    expect(text).not.toContain('value-1')
    expect(question?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ['approved', 'allow_always'],
      ['denied', 'reject_always'],
    ])
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('said')
    expect(prepared.filter(({ writableRoots }) => writableRoots.length === 1)[0]).toMatchObject({
      ...{ mode: 'workspace-write', writableRoots: [place.cwd], network: false, unixSockets: false },
    })
    await using later = await openEditor(server)
    const again = await later.open(place.cwd, [handed(place, { API_TOKEN: 'value-2' })])
    await later.say(again.sessionId, 'go')
    await later.agent.request(methods.agent.session.load, { sessionId, cwd: place.cwd, mcpServers: [ofEditor] })
    await later.say(sessionId, 'go on')
    expect(startsAsked(later)).toEqual([])
    for (const request of model.requests.slice(-2))
      expect(request.tools.map(({ name }) => name)).toContain('mcp__ugly__echo')
  })

  it.each([
    ['another argument', (one: McpServer) => ({ ...one, args: [...argsOf(one), '--more'] })],
    [
      'another program',
      (one: McpServer) => ({ ...one, command: '/usr/bin/env', args: [process.execPath, ...argsOf(one)] }),
    ],
    ['another variable', (one: McpServer) => ({ ...one, env: [...envOf(one), { name: 'NEW', value: 'x' }] })],
  ])('is asked about again with %s, and not with another name', async (_, change) => {
    await using place = mcpPlace()
    const server = place.start({ model: answers(3), mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    for (const [one, count] of [
      [handed(place), 1],
      [{ ...handed(place), name: 'other' }, 1],
      [change(handed(place)), 2],
    ] as const) {
      const { sessionId } = await editor.open(place.cwd, [one])
      await editor.say(sessionId, 'go')
      expect(startsAsked(editor)).toHaveLength(count)
    }
  })

  it('is asked about in each folder, and where nothing confines it the question says so', async () => {
    await using place = mcpPlace()
    mkdirSync(join(place.cwd, 'sub'))
    const model = answers(3)
    const confined = place.start({ model, mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(confined)
    for (const cwd of [place.cwd, join(place.cwd, 'sub')]) {
      const { sessionId } = await editor.open(cwd, [handed(place)])
      await editor.say(sessionId, 'go')
    }
    expect(startsAsked(editor)).toHaveLength(2)
    const open = place.start({ model, mcpPatience, sandboxes: fakeSandboxes('none').sandboxes })
    await using elsewhere = await openEditor(open)
    const { sessionId } = await elsewhere.open(place.cwd, [handed(place)])
    await elsewhere.say(sessionId, 'go')
    expect(JSON.stringify(startsAsked(elsewhere)[0]?.toolCall.content)).toContain('Limits: outside any sandbox')
  })

  it.each([
    ['full', { MODE: 'two', API_TOKEN: 'value-1' }, 1],
    ['partial', { MODE: 'two', API_TOKEN: 'value-1' }, 2],
    ['none', { MODE: 'two', API_TOKEN: 'value-1' }, 2],
    ['none', { MODE: 'one', API_TOKEN: 'value-2' }, 1],
  ] as const)('under %s enforcement with the variables %o is asked about %i times', async (found, env, count) => {
    await using place = mcpPlace()
    const server = place.start({ model: answers(2), mcpPatience, sandboxes: fakeSandboxes(found).sandboxes })
    await using editor = await openEditor(server)
    for (const one of [{ MODE: 'one', API_TOKEN: 'value-1' }, env]) {
      const { sessionId } = await editor.open(place.cwd, [handed(place, one)])
      await editor.say(sessionId, 'go')
    }
    expect(startsAsked(editor)).toHaveLength(count)
  })

  it('is not started after a no, which is kept; without an answer it is asked about anew', async () => {
    await using place = mcpPlace()
    const model = answers(4)
    const server = place.start({ model, mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    const given = [{ outcome: { outcome: 'cancelled' as const } }, choose('denied')]
    await using editor = await openEditor(server, { answer: () => given.shift() ?? choose('approved') })
    for (const asked of [1, 2, 2]) {
      const { sessionId } = await editor.open(place.cwd, [handed(place)])
      await editor.say(sessionId, 'go')
      expect(startsAsked(editor)).toHaveLength(asked)
      expect(offeredTo(model)).not.toContain('mcp__ugly__echo')
    }
    expect(place.processes()).toEqual([])
    const [kept] = readdirSync(join(place.root, '.parley', 'trust'))
    const text = readFileSync(join(place.root, '.parley', 'trust', kept ?? ''), 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      folder: place.cwd,
      editorServers: [{ verdict: 'declined', name: 'ugly' }],
    })
  })

  it('is asked about once also where two have the same command', async () => {
    await using place = mcpPlace()
    const model = answers(1)
    const server = place.start({ model, mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd, [handed(place), { ...handed(place), name: 'twin' }])
    await editor.say(sessionId, 'go')
    expect(startsAsked(editor)).toHaveLength(1)
    expect(offeredTo(model)).toEqual(expect.arrayContaining(['mcp__ugly__echo', 'mcp__twin__echo']))
  })

  it('is asked about with what a reader cannot see in its command', async () => {
    await using place = mcpPlace()
    const server = place.start({ model: answers(1), mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server, { answer: () => choose('denied') })
    const hidden = { ...handed(place), args: ['\u200bserver', 'р\u0430ypal', '\u001b[2K\rharmless'] }
    const { sessionId } = await editor.open(place.cwd, [hidden])
    await editor.say(sessionId, 'go')
    const text = JSON.stringify(startsAsked(editor)[0]?.toolCall.content)
    expect(text).toContain('U+200B')
    expect(text).not.toContain(JSON.stringify('\u001b').slice(1, -1))
  })

  it('is started after a yes that cannot be kept, and asked about again in the next session', async () => {
    await using place = mcpPlace()
    writeFileSync(join(place.root, '.parley', 'trust'), 'no folder')
    const model = answers(2)
    const server = place.start({ model, mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    for (const asked of [1, 2]) {
      const { sessionId } = await editor.open(place.cwd, [handed(place)])
      await editor.say(sessionId, 'go')
      expect(startsAsked(editor)).toHaveLength(asked)
      expect(offeredTo(model)).toContain('mcp__ugly__echo')
    }
  })

  it('ends with its session', async () => {
    await using place = mcpPlace()
    const server = place.start({ model: answers(1), mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd, [handed(place)])
    await editor.say(sessionId, 'go')
    expect(place.processes()).toHaveLength(1)
    await editor.agent.request(methods.agent.session.close, { sessionId })
    await waitUntil(() => place.processes().length === 0, { what: 'an end of the server' })
  })

  it('has variables whose values are in no log and reach no model', async () => {
    await using place = mcpPlace()
    const secret = 'swordfish-Tr1cky-77'
    const model = scriptedModel(calling('echo', { said: secret }), { text: `It is ${secret}.` })
    const server = place.start({ model, mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd, [handed(place, { GREETING: `Bearer ${secret}` })])
    await editor.say(sessionId, 'go')
    const files = readdirSync(join(place.root, '.parley'), { recursive: true, withFileTypes: true })
    const texts = files.filter((one) => one.isFile()).map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'))
    expect(texts.some((text) => text.includes('[secret:GREETING'))).toBe(true)
    expect(texts.filter((text) => text.includes(secret))).toEqual([])
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).not.toContain(secret)
  })

  it.each([
    ['the policy never', { config: 'approval_policy = "never"\n' }, 'the approval policy is never'],
    [
      'a ceiling',
      { ports: { ceiling: flags({ maxSandbox: 'workspace-write' as const }) } },
      '--max-sandbox workspace-write',
    ],
    ['--safe', { ports: { ceiling: flags({ isSafe: true as const }) } }, '--safe'],
    ['a server of a team', { isElsewhere: true }, 'on a server of a team'],
  ] satisfies readonly [string, Setting, string][])(
    'is not started with %s, and one notice says so',
    async (_, setting, said) => {
      await using place = mcpPlace()
      const { config = '', ports = {}, isElsewhere = false }: Setting = setting
      configureAbove(place, config)
      const model = answers(2)
      const server = place.start({ model, mcpPatience, sandboxes: fakeSandboxes().sandboxes, ...ports })
      await using editor = await openEditor(server, isElsewhere ? { servers: noEditorServers } : {})
      const { sessionId } = await editor.open(place.cwd, [handed(place)])
      for (const text of ['go', 'on']) await editor.say(sessionId, text)
      expect(editor.questions).toEqual([])
      expect(offeredTo(model)).not.toContain('mcp__ugly__echo')
      const notices = editor.said().match(/MCP servers of the editor are not started[^\n]*/g)
      expect(notices).toEqual([expect.stringContaining(said)])
      expect(notices?.[0]).toContain('ugly')
    },
  )

  it('is not started in an environment, and one notice says so', async () => {
    await using machine = await startFarMachine()
    await using place = mcpPlace()
    const far = machine.newFolder()
    place.append(boxSection(far))
    configureAbove(place, 'environment = "box"\n')
    await using editor = await openEditor(place.start({ model: answers(1), mcpPatience }))
    const { sessionId } = await editor.open(far.work, [handed(place)])
    await editor.say(sessionId, 'go')
    expect(startsAsked(editor)).toEqual([])
    expect(editor.said().match(/MCP servers of the editor are not started[^\n]*/g)).toEqual([
      expect.stringContaining('works in the environment box'),
    ])
    expect(place.processes()).toEqual([])
  })

  it('is asked about once the policy lets somebody be asked', async () => {
    await using place = mcpPlace()
    configureAbove(place, 'approval_policy = "never"\n')
    const model = answers(2)
    const server = place.start({ model, mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd, [handed(place)])
    await editor.say(sessionId, 'go')
    expect(startsAsked(editor)).toEqual([])
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'edit' })
    await editor.say(sessionId, 'on')
    expect(startsAsked(editor)).toHaveLength(1)
    expect(offeredTo(model)).toContain('mcp__ugly__echo')
  })

  it('is left out with an address, a name that is taken, or no name, and one notice says which', async () => {
    await using place = mcpPlace()
    place.configure('mine', 'plain')
    const server = place.start({ model: answers(1), mcpPatience, sandboxes: fakeSandboxes().sandboxes })
    await using editor = await openEditor(server)
    expect(editor.introduction.agentCapabilities?.mcpCapabilities).toEqual({ http: false, sse: false })
    const { sessionId } = await editor.open(place.cwd, [
      { type: 'http', name: 'web', url: 'http://127.0.0.1:9/mcp', headers: [] },
      { ...handed(place), name: 'mine' },
      { ...handed(place), name: '..' },
      { ...handed(place), name: 'Good one!' },
    ])
    await editor.say(sessionId, 'go')
    const [notice = ''] = editor.said().match(/MCP servers of the editor are not started[^\n]*/) ?? []
    for (const said of ['reaches none by its address: web', 'mine: a server of config.toml', '..: its name has no'])
      expect(notice).toContain(said)
    expect(startsAsked(editor).map(({ toolCall }) => toolCall.title)).toEqual([
      'Start the MCP server “Good-one” that this editor hands over',
    ])
  })
})

const cache = mkdtempSync(join(tmpdir(), 'parley-enforcement-'))
afterAll(() => rmSync(cache, { recursive: true, force: true }))
const sandboxes = openSandboxes({ cacheFile: join(cache, 'sandbox.json'), env: process.env })
const { enforcement, reason } = await sandboxes.report()

// The programs of this checkout are not there inside, where /tmp is another.
const isHidden = process.execPath.startsWith('/tmp/')

it.skipIf(enforcement !== 'full' || isHidden)(
  `a server of an editor cannot leave the folder of its session (${isHidden ? 'the checkout is below /tmp' : reason})`,
  async () => {
    await using place = mcpPlace()
    const far = createServer()
    using _closed = { [Symbol.dispose]: () => void far.close() }
    await new Promise<void>((resolve) => far.listen(0, '127.0.0.1', resolve))
    const { port } = far.address() as AddressInfo
    mkdirSync(join(place.cwd, '.git', 'hooks'), { recursive: true })
    mkdirSync(join(place.cwd, '.parley'))
    place.write('.git/HEAD', 'ref: refs/heads/main\n')
    place.write('mcp.mjs', nosyServer(place.root, port))
    const model = answers(1)
    await using editor = await openEditor(place.start({ model, mcpPatience, sandboxes }))
    const { sessionId } = await editor.open(place.cwd, [{ ...handed(place), args: ['mcp.mjs', 'plain'] }])
    await editor.say(sessionId, 'go')
    expect(offeredTo(model)).toContain('mcp__ugly__echo')
    expect(place.read('done')).toBe('inside')
    expect(existsSync(join(place.root, 'made'))).toBe(false)
  },
)

interface Setting {
  readonly config?: string
  readonly ports?: TestPorts
  readonly isElsewhere?: boolean
}

/** Adds keys above the sections of the configuration. */
function configureAbove({ root }: McpPlace, keys: string): void {
  const path = join(root, '.parley', 'config.toml')
  writeFileSync(path, `${keys}${readFileSync(path, 'utf8')}`)
}

function flags(more: object) {
  return { maxSandbox: null, allowNever: false, profile: null, ...more }
}
