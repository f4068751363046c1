import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  cliPath,
  type ModelServer,
  type Pty,
  type PtyOptions,
  type ScriptedStep,
  startModelServer,
  startPty,
  type TempDirectory,
  type TempHome,
  tempHome,
  tempWorkspace,
} from '@parley/testkit'
import { runInProcess } from './run-in-process.ts'

/** A home, a folder, a model that says what was written down, and the program on a terminal. */
export interface Place extends AsyncDisposable {
  readonly home: TempHome
  readonly folder: TempDirectory
  readonly model: ModelServer
  start(...argv: readonly string[]): Pty
  /** The same on a terminal or with variables of its own. */
  startWith(options: Partial<PtyOptions>, ...argv: readonly string[]): Pty
  /** A command to its end, in the process of the test. */
  run(...argv: readonly string[]): ReturnType<typeof runInProcess>
  /** A shell with job control, and how the program is started from it. */
  shell(): Pty
  command(...argv: readonly string[]): string
}

/** `more`: further sections of the configuration. */
export async function place(steps: readonly ScriptedStep[], ...more: readonly string[]): Promise<Place> {
  const [home, folder, model] = await Promise.all([
    tempHome(),
    tempWorkspace({ files: { 'a.txt': 'one\n' } }),
    startModelServer(steps),
  ])
  const config = [
    'model = "scripted"',
    'model_provider = "test"',
    // Asks in the same way whether this machine has a sandbox or not.
    'approval_policy = "untrusted"',
    '[model_providers.test]',
    'name = "test"',
    `base_url = "${model.url}"`,
    'wire_api = "responses"',
    'env_key = "TEST_KEY"',
    ...more,
  ]
  writeFileSync(join(home.env.PARLEY_HOME, 'config.toml'), `${config.join('\n')}\n`)
  const env = { ...home.env, TEST_KEY: 'key' }
  const onTerminal = (argv: readonly [string, ...string[]], options: Partial<PtyOptions> = {}) =>
    startPty({ argv, cwd: folder.path, cols: 90, rows: 36, ...options, env: { ...env, ...options.env } })
  return {
    home,
    folder,
    model,
    start: (...argv) => onTerminal([process.execPath, cliPath, ...argv]),
    startWith: (options, ...argv) => onTerminal([process.execPath, cliPath, ...argv], options),
    run: (...argv) => runInProcess(argv, { env, cwd: folder.path, stdin: '' }),
    shell: () => onTerminal(['bash', '--norc', '--noprofile', '-i']),
    command: (...argv) => [process.execPath, cliPath, ...argv].map((word) => `'${word}'`).join(' '),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await Promise.all([home[Symbol.asyncDispose](), folder[Symbol.asyncDispose]()])
    },
  }
}

/** Removes the socket of the server with the newest conversation, and stops that server: one that runs soon listens anew. */
export async function hideServer(at: Place): Promise<Disposable> {
  const { stdout } = await at.run('list', '--json')
  const { socket, pid } = JSON.parse(stdout).live
  process.kill(pid, 'SIGSTOP')
  unlinkSync(socket)
  return { [Symbol.dispose]: () => void process.kill(pid, 'SIGCONT') }
}

export const ready = /› Ask anything/

/** A question takes keys only once it can have been read; until then they are tried again. */
export async function answer(pty: Pty, key: string, until: RegExp): Promise<void> {
  for (;;) {
    await pty.waitFor(/━━ (?:Run|Make|Allow|A tool)/)
    await backToQuestion(pty)
    pty.write(key)
    try {
      return await pty.waitFor(until, { timeoutMs: 1_500 })
    } catch {
      // The key was taken, and what follows takes its time.
      if (!/y +(?:yes|answer)|r again/.test(pty.terminal.screen().join('\n'))) return await pty.waitFor(until)
    }
  }
}

/** Leaves the text that a letter went to: one that comes as the question returns, after a pause of the server, is text. */
export async function backToQuestion(pty: Pty): Promise<void> {
  const writes = (rows: readonly string[]) => rows.some((row) => row.includes('Keys go to your text'))
  if (!writes(pty.terminal.screen())) return
  pty.press('Escape')
  await pty.waitFor((rows) => !writes(rows))
}

/** Pastes a line, waits until it is shown, and sends it. */
export async function send(pty: Pty, text: string): Promise<void> {
  pty.paste(text)
  await pty.waitFor((rows) => rows.some((row) => row.includes(text)))
  pty.press('Enter')
}

/** Presses a key until it takes effect: one whose meaning has just changed does nothing. */
export async function pressUntil(pty: Pty, key: string, until: RegExp): Promise<void> {
  for (let tries = 0; tries < 4; tries++) {
    if (key.length === 1) pty.write(key)
    else pty.press(key)
    const isReached = await pty.waitFor(until, { timeoutMs: 1_500 }).then(
      () => true,
      () => false,
    )
    if (isReached) return
  }
  await pty.waitFor(until)
}

/** Takes the chosen row of a menu. One that has just come takes no key yet; until then Enter is tried again. */
export async function takeRow(pty: Pty, until: RegExp): Promise<void> {
  for (;;) {
    pty.press('Enter')
    try {
      return await pty.waitFor(until, { timeoutMs: 1_500 })
    } catch {
      if (!/^▸ /m.test(pty.terminal.screen().join('\n'))) return await pty.waitFor(until)
    }
  }
}
