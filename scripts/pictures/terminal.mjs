import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { cliPath, startModelServer, startPty, tempHome, tempWorkspace } from '../../packages/testkit/src/index.ts'
import { readScreen } from './cells.mjs'
import { files } from './project.mjs'

/** Plays a scene in a fresh home, in a terminal of this size and theme, and resolves to its last screen. */
export async function playScene({ config = [], steps, play }, { cols, rows, theme }) {
  await using home = await tempHome()
  await using made = await tempWorkspace({ files, git: true })
  // In the home the window shows it as ~/tenants.
  const folder = join(home.path, 'tenants')
  renameSync(made.path, folder)
  await using model = await startModelServer(steps)
  writeFileSync(join(home.env.PARLEY_HOME, 'config.toml'), configText({ url: model.url, config, theme }))
  await using terminal = openTerminal({ home, folder, cols, rows, theme })
  await play(terminal)
  return await terminal.picture()
}

function configText({ url, config, theme }) {
  return [
    'model = "gpt-5"',
    'model_provider = "example"',
    ...config,
    '[model_providers.example]',
    'name = "Example"',
    `base_url = "${url}"`,
    'wire_api = "responses"',
    'env_key = "EXAMPLE_KEY"',
    ...theme.config,
  ]
    .join('\n')
    .concat('\n')
}

function openTerminal({ home, folder, cols, rows, theme }) {
  const env = { ...home.env, EXAMPLE_KEY: 'key', PATH: process.env.PATH, LANG: 'C.UTF-8' }
  const start = (...args) =>
    startPty({
      argv: [process.execPath, cliPath, ...args],
      cwd: folder,
      env,
      cols,
      rows,
      background: theme.background,
    })
  let pty = start()
  return {
    write: (text) => pty.write(text),
    paste: (text) => pty.paste(text),
    press: (...keys) => pty.press(...keys),
    ready: () => pty.waitFor(/› (?:Ask|$)/m, { timeoutMs: 20_000 }),
    shows(seen, timeoutMs = 20_000) {
      const pattern = typeof seen === 'string' ? (screen) => screen.join('\n').includes(seen) : seen
      return pty.waitFor(pattern, { timeoutMs })
    },
    /** Kills the program and all its processes as `kill -9` does, and starts it anew. */
    async killAndRestart(...args) {
      await pty[Symbol.asyncDispose]()
      pty = start(...args)
    },
    /** Resolves to the screen once it has not changed for a moment, or after 3 s while something on it moves. */
    async picture() {
      const latest = Date.now() + 3000
      let before = -1
      while (pty.rawBytes().length !== before && Date.now() < latest) {
        before = pty.rawBytes().length
        await setTimeout(400)
      }
      return await readScreen(pty.rawBytes(), { cols, rows }, theme)
    },
    [Symbol.asyncDispose]: () => pty[Symbol.asyncDispose](),
  }
}
