import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates the folder for all files of a bench, removed at its end and on SIGINT and SIGTERM. */
export function makeScratch() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  let count = 0
  return {
    /** Returns a new home and workspace, or a copy of the home of `original` with the same workspace. */
    place(model, original) {
      const home = join(folder, String(++count))
      if (original === undefined) writeHome(home, model)
      else cpSync(original.home, home, { recursive: true })
      return placeAt(home, original?.workspace ?? makeWorkspace(home))
    },
    [Symbol.dispose]: remove,
  }
}

function placeAt(home, workspace) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    PARLEY_HOME: join(home, '.parley'),
    BENCH_KEY: 'sk-bench',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  }
  return { home, workspace, parleyHome: env.PARLEY_HOME, env }
}

function writeHome(home, model) {
  const config = `model = "bench-model"
model_provider = "bench"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.bench]
name = "bench"
base_url = "${model.baseUrl}"
wire_api = "responses"
env_key = "BENCH_KEY"
`
  mkdirSync(join(home, '.parley'), { recursive: true })
  writeFileSync(join(home, '.parley', 'config.toml'), config)
}

function makeWorkspace(home) {
  const workspace = join(home, 'workspace')
  mkdirSync(join(workspace, '.git'), { recursive: true })
  writeFileSync(join(workspace, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(workspace, 'README.md'), '# A workspace\n')
  return workspace
}
