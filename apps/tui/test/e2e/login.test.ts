import { readdirSync, readFileSync, statSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type CliOptions,
  type CliResult,
  cliPath,
  type ModelServer,
  type Pty,
  runCli,
  type ScriptedStep,
  startModelServer,
  startPty,
  tempHome,
  tempWorkspace,
} from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { takeRow } from './interactive-program.ts'
import { runInProcess } from './run-in-process.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

const key = 'login-key-7Yt4ZpQ2'

interface LoginWorld extends AsyncDisposable {
  readonly model: ModelServer
  readonly home: string
  readonly credentials: string
  /** Runs a command to its end: as a process where it reads a key from stdin, else in this one. */
  run(argv: readonly string[], options?: CliOptions): Promise<CliResult>
  onTerminal(...argv: readonly string[]): Pty
}

/** A home whose only provider accepts one key, which nobody has given yet. */
async function loginWorld(steps: readonly ScriptedStep[] = [], more = ''): Promise<LoginWorld> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(steps, { accepts: (token) => token === key }))
  const home = stack.use(await tempHome())
  const folder = stack.use(await tempWorkspace())
  const config = `${more}
model = "scripted"
model_provider = "gate"
[model_providers.gate]
name = "Gate"
base_url = "${model.url}"
wire_api = "responses"
env_key = "GATE_KEY"
`
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), config)
  const owned = stack.move()
  const base = { env: home.env, cwd: folder.path }
  return {
    model,
    home: home.path,
    credentials: join(home.env.PARLEY_HOME, 'credentials.json'),
    run: (argv, options = {}) =>
      options.stdin === undefined
        ? runInProcess(argv, { ...base, stdin: '', ...options })
        : runCli(argv, { ...base, ...options }),
    onTerminal: (...argv) => startPty({ ...base, argv: [process.execPath, cliPath, ...argv] }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Returns the files of the home, the file of credentials aside, that contain the key. */
function filesWithKey({ home, credentials }: LoginWorld): readonly string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => path !== credentials)
  return paths.filter((path) => readFileSync(path, 'latin1').includes(key))
}

test('a key from stdin is tried, kept for its user alone, used, and in no other file', async () => {
  await using world = await loginWorld([{ text: `Your key is ${key}.` }])
  const login = await world.run(['login'], { stdin: `${key}\n` })
  expect(login).toMatchObject({ exitCode: 0, stderr: '' })
  expect(login.stdout).toBe(
    'Logged in to gate. The key is in $PARLEY_HOME/credentials.json, which only you can read.\n',
  )
  expect(statSync(world.credentials).mode & 0o777).toBe(0o600)
  const recording = join(world.home, 'recording.jsonl')
  const exec = await world.run(['exec', '--json', '--record', recording, `say ${key}`])
  expect(exec.exitCode).toBe(0)
  expect(world.model.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
  expect(exec.stdout).toContain('[secret:login:')
  expect(exec.stdout).not.toContain(key)
  expect(world.model.requests[0]?.text).not.toContain(key)
  expect(filesWithKey(world)).toEqual([])
})

test('a key that the provider refuses is not kept, and is not shown', async () => {
  await using world = await loginWorld()
  const login = await world.run(['login', 'gate'], { stdin: 'another-key-1234' })
  expect(login).toMatchObject({ exitCode: 3, stdout: '' })
  expect(login.stderr).toMatch(
    /^parley: Gate refused the key from `parley login gate`.*this key is not known\. The key is not kept\.\n$/,
  )
  expect(login.stderr).not.toContain('another-key')
  expect(await world.run(['login', 'status'])).toMatchObject({ exitCode: 3, stdout: '' })
})

test.each<[string, string, RegExp]>([
  ['more than one line', `${key}\n${key}\n`, /A key has one line/],
  ['a control character', `${key}\u001b[31m`, /a blank, a control character/],
  ['nothing', '\n', /No key was given/],
])('a key with %s is refused before anything is sent', async (_what, stdin, words) => {
  await using world = await loginWorld()
  const login = await world.run(['login'], { stdin })
  expect(login).toMatchObject({ exitCode: 2, stdout: '' })
  expect(login.stderr).toMatch(words)
  expect(login.stderr).not.toContain(key)
})

test('a provider that is not known is refused before its key is asked for', async () => {
  await using world = await loginWorld()
  await using pty = world.onTerminal('login', 'gaet')
  expect(await pty.exited).toMatchObject({ exitCode: 2 })
  expect(pty.terminal.transcript().join(' ')).toMatch(/Did you mean "gate"/)
  for (const argv of [
    ['login', key],
    ['logout', key],
    ['login', `--key=${key}`],
    ['logout', 'gate', key],
  ]) {
    const { exitCode, stdout, stderr } = await world.run(argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^parley: (?:There is no provider of that name|unknown option '--key'|too many arguments)/)
    expect(stderr).not.toContain(key)
  }
  expect(pty.terminal.transcript().join(' ')).not.toContain('Key for')
})

test('a provider that does not answer leaves nothing, with the exit code of a provider', async () => {
  await using world = await loginWorld()
  await world.model[Symbol.asyncDispose]()
  const login = await world.run(['login'], { stdin: key })
  expect(login).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('Cannot reach Gate') })
})

test.each([
  ['that is not configured', 'gatde', /Did you mean "gated"\?/],
  ['that is a program', 'local', /is a program/],
  ['whose tokens could be read on the way', 'plain', /neither an https address/],
  ['that has no login', 'open', /login at 127\.0\.0\.1:9 failed/],
])('a tool server %s is refused a login with a reason', async (_what, name, words) => {
  await using world = await loginWorld()
  const servers = {
    gated: 'url = "http://127.0.0.1:9/mcp"',
    local: 'command = "true"',
    open: 'url = "http://127.0.0.1:9/mcp"',
    plain: 'url = "http://tools.invalid/mcp"',
  }
  const sections = Object.entries(servers).map(([server, line]) => `[mcp_servers.${server}]\n${line}\n`)
  await appendFile(join(dirname(world.credentials), 'config.toml'), sections.join(''))
  const { exitCode, stderr } = await world.run(['mcp', 'login', name])
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(words)
})

test('login status says where each key is, a variable outranks a kept key, and logout forgets it', async () => {
  await using world = await loginWorld()
  await world.run(['login'], { stdin: key })
  const env = { HOME: world.home, PARLEY_HOME: join(world.home, '.parley'), GATE_KEY: 'variable-key-99' }
  const status = await world.run(['login', 'status'], { env })
  expect(status).toMatchObject({
    exitCode: 0,
    stdout:
      'gate  The key is in $PARLEY_HOME/credentials.json, which only you can read. GATE_KEY is set and is used in its place.\n',
  })
  expect(await world.run(['logout'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('is forgotten here'),
  })
  expect(readFileSync(world.credentials, 'utf8')).not.toContain(key)
  expect(await world.run(['logout', 'gate'])).toMatchObject({ exitCode: 5, stdout: '' })
})

test('a key typed on a terminal is never on the screen', async () => {
  await using world = await loginWorld()
  await using pty = world.onTerminal('login')
  await pty.waitFor(/Key for gate \(not shown while you type\):/)
  pty.write(`wrong${'\x7f'.repeat(5)}${key}`)
  pty.press('Enter')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  expect(pty.terminal.transcript().join('\n')).toContain('Logged in to gate.')
  expect(pty.rawBytes().toString()).not.toContain(key)
})

test('Ctrl+C at the question leaves with 130', async () => {
  await using world = await loginWorld()
  await using pty = world.onTerminal('login')
  await pty.waitFor(/Key for gate/)
  pty.press('Ctrl+C')
  expect(await pty.exited).toMatchObject({ exitCode: 130 })
})

test('/login in the window asks for the key unseen, /status names the login, and /logout forgets it', async () => {
  await using world = await loginWorld([{ text: 'All clear.' }])
  await using pty = world.onTerminal()
  const line = async (text: string, until: RegExp) => {
    pty.paste(text)
    await pty.waitFor((rows) => rows.some((row) => row.includes(text)))
    pty.press('Enter')
    await pty.waitFor(until)
  }
  await pty.waitFor(/\/login asks for a key/)
  await line('/login gate', /Log in {2}[\s\S]*▸ gate +Gate · no key yet/)
  await takeRow(pty, /Key for gate \(not shown while you type\):/)
  pty.write('a-wrong-key')
  pty.press('Enter')
  await pty.waitFor(/Gate refused the key[\s\S]*You are not logged in to gate: the lines above say why/)
  await line('/login gate', /▸ gate +Gate · no key yet/)
  await takeRow(pty, /Key for gate[\s\S]*Key for gate/)
  pty.write(key)
  pty.press('Enter')
  await pty.waitFor(/Logged in to gate\. scripted of gate answers from the next message on/)
  await line('hello', /All clear\./)
  await line('/status', /login +the one that \/login or `parley login` kept/)
  await line('/logout gate', /Log out {2}[\s\S]*▸ gate +Gate · key in credentials\.json/)
  await takeRow(pty, /To end its use elsewhere, revoke it/)
  await line('hello again', /needs a login|No key for Gate[\s\S]*\/login takes another key\./)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  expect(pty.rawBytes().toString()).not.toContain(key)
  expect(filesWithKey(world)).toEqual([])
})
