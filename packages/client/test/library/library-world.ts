import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cleanEnvironment,
  cliPath,
  killMarked,
  type ModelServer,
  markVariable,
  newMark,
  type ScriptedStep,
  startModelServer,
  startProgram,
  tempHome,
  tempWorkspace,
  waitUntil,
} from '@parley/testkit'
import { vi } from 'vitest'
import { type ConnectOptions, connect, type Parley, type Target } from '../../src/index.ts'
import { checkResult } from '../check-result.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

/** A home whose only provider is a scripted model on loopback, and a folder to work in. */
export interface LibraryWorld extends AsyncDisposable {
  readonly model: ModelServer
  readonly cwd: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** A server of our own, of the built program. */
  connect(options?: ConnectOptions): Promise<Parley>
  readonly spawn: Target
}

export async function libraryWorld(...steps: ScriptedStep[]): Promise<LibraryWorld> {
  const model = await startModelServer(steps)
  const home = await tempHome()
  const workspace = await tempWorkspace()
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), configOf(model.url))
  const mark = newMark()
  const env = cleanEnvironment({ ...home.env, XDG_RUNTIME_DIR: home.path, [markVariable]: mark })
  const spawn = { spawn: { command: [process.execPath, cliPath, 'server'] as const, env } }
  // A partial sandbox lets commands make things in folders of the workspace, not beside them.
  mkdirSync(join(workspace.path, 'in'))
  return {
    model,
    cwd: workspace.path,
    home: home.path,
    env,
    spawn,
    connect: (options) => connect(spawn, { checkResult, ...options }),
    async [Symbol.asyncDispose]() {
      killMarked(mark)
      await model[Symbol.asyncDispose]()
      await workspace[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** A server for whoever comes, and where it listens. */
export async function listeningServer(world: LibraryWorld, address: string) {
  const server = startProgram([process.execPath, cliPath, 'server', '--listen', address], { env: world.env })
  const where = await waitUntil(() => /listens on (\S+)/.exec(server.stderr())?.[1], {
    what: 'where the server listens',
  })
  return { where, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function configOf(modelUrl: string): string {
  // Asks in the same way whether this machine has a sandbox or not.
  return `model_provider = "fake"
model = "m1"
approval_policy = "untrusted"
[model_providers.fake]
base_url = "${modelUrl}"
wire_api = "responses"
stream_max_retries = 0
request_max_retries = 0
`
}
