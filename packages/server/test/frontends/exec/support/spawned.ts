import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connectClient, type ExecClient } from '@parley/exec-server/test/support/exec-client.ts'
import { createStreamTransport } from '@parley/rpc'
import { connectWebSocket } from '@parley/rpc/websocket'
import {
  cleanEnvironment,
  descendantsWithMark,
  killMarked,
  markVariable,
  newMark,
  type TempHome,
  tempHome,
  waitUntil,
} from '@parley/testkit'
import { bundledProgram } from '../../../fixtures/bundled-program.ts'
import { compileCache } from '../../../fixtures/compile-cache.ts'

const program = bundledProgram('exec-program')

export interface SpawnedExecServer extends AsyncDisposable {
  readonly child: ChildProcess
  readonly home: TempHome
  /** For the environment of what is started, so that it can be found. */
  readonly env: Readonly<Record<string, string>>
  /** Over its stdin and stdout. */
  readonly client: ExecClient
  stderr(): string
  exitCode(): Promise<number | null>
  /** With `--listen`: another client. */
  dial(token?: string): Promise<ExecClient>
  url(): Promise<string>
  /** Made by the server. */
  token(): Promise<string>
  descendants(): number[]
  noDescendants(): Promise<unknown>
}

export async function spawnExecServer(...args: readonly string[]): Promise<SpawnedExecServer> {
  const home = await tempHome()
  const mark = newMark()
  // Descriptors that a careless parent leaves open.
  const folder = openSync('/', 'r')
  const child = spawn(process.execPath, [program, ...args], {
    env: cleanEnvironment({ ...home.env, NODE_COMPILE_CACHE: compileCache, NODE_NO_WARNINGS: '1' }),
    stdio: ['pipe', 'pipe', 'pipe', folder],
  })
  closeSync(folder)
  const { stdin, stdout, stderr: errors } = child
  if (stdin === null || stdout === null || errors === null) throw new Error('the exec-server has no pipes')
  let stderr = ''
  errors.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const env = { [markVariable]: mark }
  const client = connectClient(createStreamTransport({ input: stdout, output: stdin }), env)
  const said = (pattern: RegExp, what: string) =>
    waitUntil(() => pattern.exec(stderr)?.[1], { what, timeoutMs: 30_000 })
  const url = () => said(/listens on (ws:\S+)/, 'the address')
  const token = async () => {
    return readFileSync(await said(/token in ([^)]+)\)/, 'the token file'), 'utf8').trim()
  }
  const descendants = () => descendantsWithMark(mark)
  return {
    ...{ child, home, env, client, url, token, descendants },
    stderr: () => stderr,
    exitCode: () => exited,
    dial: async (given) =>
      connectClient(await connectWebSocket({ url: await url(), token: given ?? (await token()) }), env),
    noDescendants: () =>
      waitUntil(() => descendants().length === 0, { what: 'the end of all processes', timeoutMs: 30_000 }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      killMarked(mark)
      await home[Symbol.asyncDispose]()
    },
  }
}
