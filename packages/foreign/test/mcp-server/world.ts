import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ElicitRequest } from '@modelcontextprotocol/client'
import { Client, type Notification, type Transport } from '@modelcontextprotocol/client'
import {
  type CliRun,
  cleanEnvironment,
  cliPath,
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

/** A user's home with a scripted model, for MCP clients that start `parley mcp-server` themselves. */
export interface World extends AsyncDisposable {
  readonly model: ModelServer
  readonly cwd: string
  /** The built program and its arguments. */
  readonly command: readonly [string, ...string[]]
  readonly env: Record<string, string>
  /** A server that is a process, with its stdin open. */
  start(args?: readonly string[]): CliRun
  /** Server that listens on loopback. */
  listen(): Promise<Listening>
  /** The newest log of a conversation. */
  logOf(conversationId: string): Promise<string>
  /** Processes of commands that are still there. */
  commands(): number[]
}

export interface Listening {
  readonly url: string
  readonly token: string
  readonly run: CliRun
}

export async function makeWorld(steps: readonly ScriptedStep[] = [], policy = 'never'): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(steps))
  const home = stack.use(await tempHome())
  const workspace = stack.use(await tempWorkspace())
  const mark = newMark()
  stack.defer(() => killMarked(mark))
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), configOf(model.url, policy, mark))
  const runFolder = join(home.path, 'run')
  await mkdir(runFolder, { mode: 0o700 })
  const env = cleanEnvironment({ ...home.env, XDG_RUNTIME_DIR: runFolder })
  const owned = stack.move()
  const start = (args: readonly string[] = []) =>
    owned.use(startCli(['mcp-server', ...args], { env, cwd: workspace.path, keepStdinOpen: true, timeoutMs: 60_000 }))
  return {
    model,
    cwd: workspace.path,
    command: [process.execPath, cliPath, 'mcp-server'],
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    start,
    async listen() {
      const run = start(['--listen', 'http://127.0.0.1:0'])
      const said = await waitUntil(() => /listens on (\S+) \(token in (.+)\)/.exec(run.stderr()), {
        what: 'the address',
        timeoutMs: 30_000,
      })
      const [, url = '', file = ''] = said
      return { url, token: (await readFile(file, 'utf8')).trim(), run }
    },
    async logOf(conversationId) {
      const at = new Date(Number.parseInt(conversationId.replace('-', '').slice(0, 12), 16)).toISOString()
      const day = at.slice(0, 10).split('-')
      return readFile(join(home.env.PARLEY_HOME, 'sessions', ...day, `${conversationId}.jsonl`), 'utf8')
    },
    commands: () => descendantsWithMark(mark),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function configOf(modelUrl: string, policy: string, mark: string): string {
  return `model_provider = "fake"
model = "m1"
approval_policy = "${policy}"
sandbox_mode = "danger-full-access"
[model_providers.fake]
base_url = "${modelUrl}"
wire_api = "responses"
stream_max_retries = 0
request_max_retries = 0
[shell_environment]
set = { ${markVariable} = "${mark}" }
`
}

/** The official client with everything that it was told. */
export interface Connected extends AsyncDisposable {
  readonly client: Client
  readonly notified: readonly Notification[]
  readonly questions: readonly ElicitRequest['params'][]
  /** Resolves once the server has sent it. */
  seen(method: string): Promise<Notification>
}

export async function connectOfficial(transport: Transport, canElicit = true): Promise<Connected> {
  const client = new Client(
    { name: 'official', version: '1' },
    { capabilities: canElicit ? { elicitation: { form: {} } } : {} },
  )
  const notified: Notification[] = []
  const questions: ElicitRequest['params'][] = []
  client.fallbackNotificationHandler = async (notification) => void notified.push(notification)
  if (canElicit) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params)
      return { action: 'accept', content: {} }
    })
  }
  await client.connect(transport)
  return {
    client,
    notified,
    questions,
    seen: (method) => waitUntil(() => notified.find((one) => one.method === method), { what: method }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** Proxy in front of the server for clients that cannot send a token. It changes nothing else. */
export async function tokenProxy({ url, token }: Listening): Promise<AsyncDisposable & { readonly url: string }> {
  const { hostname, port, pathname } = new URL(url)
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const options = { hostname, port, path: incoming.url, method: incoming.method, headers }
    const onward = forward(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port: own } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}${pathname}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
