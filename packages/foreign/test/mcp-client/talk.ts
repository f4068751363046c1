import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  type CliRun,
  descendantsWithMark,
  killMarked,
  type ModelServer,
  markVariable,
  newMark,
  type ScriptedStep,
  startCli,
  startModelServer,
  tempHome,
  tempWorkspace,
  waitUntil,
} from '@parley/testkit'

export type Fields = Readonly<Record<string, unknown>>

/** Conversation of a real `parley server` with a scripted model and third-party MCP servers. */
export interface Talk extends AsyncDisposable {
  readonly model: ModelServer
  readonly home: string
  readonly cwd: string
  readonly run: CliRun
  request(method: string, params: Fields): Promise<Fields>
  send(text: string): Promise<Fields>
  /** The newest event of the type, as soon as one of them fits. */
  event(type: string, fits?: (event: Fields) => boolean): Promise<Fields>
  events(type: string): readonly Fields[]
  /** The approval that is asked for next. */
  approval(kind: string): Promise<Fields>
  decide(approval: Fields, decision: string, more?: Fields): Promise<Fields>
  interrupt(): Promise<Fields>
  turnEnded(): Promise<unknown>
  /** Returns the results that the model got for its newest calls. */
  told(): readonly string[]
  /** Names of the tools that the model was offered last. */
  offered(): readonly string[]
  /** Processes of MCP servers. */
  servers(): readonly number[]
}

interface Recipe {
  readonly steps?: readonly ScriptedStep[]
  /** Sections of the configuration; `$CWD` is the workspace. */
  readonly config: string
  readonly files?: Readonly<Record<string, string>>
  readonly create?: Fields
  readonly policy?: string
  readonly env?: Readonly<Record<string, string>>
  /** Value of `wire_api`. */
  readonly wire?: string
}

const require = createRequire(import.meta.url)

/** The script of a reference server, to be run by our Node. */
export function referenceServer(name: 'everything' | 'filesystem' | 'memory' | 'sequential-thinking'): string {
  const folder = dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`))
  return join(folder, 'dist', 'index.js')
}

/** `[mcp_servers.NAME]` for a program; all of them carry the mark of the talk. */
export function stdioServer(name: string, args: readonly string[], more = ''): string {
  return `[mcp_servers.${name}]\ncommand = ${quoted(process.execPath)}\nargs = [${args.map(quoted).join(', ')}]\nenv = { ${markVariable} = "$MARK" }\n${more}\n`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

/** Real processes on a machine that does other things as well. */
const timeoutMs = 15_000

export async function startTalk({
  steps = [],
  config,
  files = {},
  create = {},
  policy,
  env: more = {},
  wire = 'responses',
}: Recipe): Promise<Talk> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(steps))
  const home = stack.use(await tempHome())
  const workspace = stack.use(await tempWorkspace({ files }))
  const mark = newMark()
  stack.defer(() => killMarked(mark))
  const { env } = home
  const sections = config.replaceAll('$CWD', workspace.path).replaceAll('$MARK', mark)
  await writeFile(join(env.PARLEY_HOME, 'config.toml'), `${modelSection(model.url, wire)}\n${sections}`)
  if (policy !== undefined) await writeFile(join(env.PARLEY_HOME, 'policy.toml'), policy)
  const run = stack.use(
    startCli(['server'], { env: { ...env, ...more }, cwd: workspace.path, keepStdinOpen: true, timeoutMs: 60_000 }),
  )
  const peer = speak(run)
  await peer.request('initialize', {
    protocolVersion: { min: 2, max: 2 },
    clientInfo: { name: 'test', version: '1' },
    capabilities: ['approvals'],
  })
  peer.notify('initialized')
  const { conversationId } = await peer.request('conversation/create', { cwd: workspace.path, ...create })
  await peer.request('conversation/stream', { conversationId })
  const owned = stack.move()
  const events = (type: string) => peer.events().filter((event) => event['type'] === type)
  const event = async (type: string, fits: (event: Fields) => boolean = () => true) =>
    found(
      await waitUntil(() => events(type).findLast(fits), { what: `${type}\n${run.stdout().slice(-3000)}`, timeoutMs }),
    )
  return {
    model,
    home: env.PARLEY_HOME,
    cwd: workspace.path,
    run,
    request: peer.request,
    events,
    event,
    send: (text) => peer.request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text }] }),
    async approval(kind) {
      const decided = () => events('approval.decided').map(({ approvalId }) => approvalId)
      const asked = await event('approval.requested', ({ approval }) => isPending(approval, kind, decided()))
      return fieldsOf(asked['approval'])
    },
    async decide({ id }, decision, more = {}) {
      const answer = await peer.request('approval/decide', { conversationId, approvalId: id, decision, ...more })
      // The event waits for the disk, the answer does not.
      if (!('error' in answer)) await event('approval.decided', ({ approvalId }) => approvalId === id)
      return answer
    },
    interrupt: () => peer.request('conversation/interrupt', { conversationId }),
    turnEnded: () =>
      waitUntil(
        () => events('turn.started').length > 0 && events('turn.ended').length === events('turn.started').length,
        {
          what: `the end of the turn\n${run.stdout().slice(-3000)}`,
          timeoutMs,
        },
      ),
    told: () => inputOf(model).flatMap(({ type, output }) => (type === 'function_call_output' ? [String(output)] : [])),
    offered: () => listIn(fieldsOf(model.requests.at(-1)?.body), 'tools').map(({ name }) => String(name)),
    servers: () => descendantsWithMark(mark),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export function modelSection(url: string, wire = 'responses'): string {
  return `model = "scripted"\nmodel_provider = "local"\n[model_providers.local]\nbase_url = "${url}"\nwire_api = "${wire}"`
}

function isPending(approval: unknown, kind: string, decided: readonly unknown[]): boolean {
  const fields = fieldsOf(approval)
  return fields['kind'] === kind && !decided.includes(fields['id'])
}

function inputOf(model: ModelServer): readonly Fields[] {
  return listIn(fieldsOf(model.requests.at(-1)?.body), 'input')
}

function listIn(fields: Fields, key: string): readonly Fields[] {
  const list = fields[key]
  return Array.isArray(list) ? list.map(fieldsOf) : []
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function found(value: Fields | undefined): Fields {
  if (value === undefined) throw new Error('it was there and is not')
  return value
}

/** Writes JSON-RPC to the pipes of the process by hand, so that these tests do not depend on parley's own client. */
function speak(run: CliRun) {
  let lastId = 0
  const messages = () =>
    run
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line): Fields => JSON.parse(line))
  return {
    events: () =>
      messages().flatMap(({ params }) => ('event' in fieldsOf(params) ? [fieldsOf(fieldsOf(params)['event'])] : [])),
    notify: (method: string) => run.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`),
    async request(method: string, params: Fields): Promise<Fields> {
      lastId += 1
      const id = lastId
      run.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      const answer = await waitUntil(() => messages().find((message) => message['id'] === id), {
        what: `an answer to ${method}`,
        timeoutMs,
      })
      return 'error' in fieldsOf(answer) ? fieldsOf(answer) : fieldsOf(fieldsOf(answer)['result'])
    },
  }
}
