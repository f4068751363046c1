import { chmod, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { Codex, type CodexOptions } from '@openai/codex-sdk'
import {
  type CliResult,
  cleanEnvironment,
  cliPath,
  descendantsWithMark,
  type ModelServer,
  markVariable,
  newMark,
  type RecordedRequest,
  type ScriptedStep,
  startModelServer,
  startProgram,
  tempHome,
  tempWorkspace,
  waitUntil,
} from '@parley/testkit'

/** The published SDK, pointed at the built program and a scripted model. The home has no configuration at all. */
interface CodexWorld extends AsyncDisposable {
  readonly model: ModelServer
  readonly cwd: string
  codex(options?: CodexOptions): Codex
  /** Code as someone has it in a project with the SDK, `parley` in the search path and a configured model. */
  runExample(code: string): Promise<CliResult>
  /** Waits until no process that the SDK started is left. */
  quiet(): Promise<unknown>
}

export async function codexWorld(steps: readonly ScriptedStep[], files: Record<string, string | Uint8Array> = {}) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(steps))
  const home = stack.use(await tempHome())
  const workspace = stack.use(await tempWorkspace({ files }))
  const codexPathOverride = join(home.path, 'parley')
  await writeFile(codexPathOverride, `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`)
  await chmod(codexPathOverride, 0o755)
  const mark = newMark()
  const env = cleanEnvironment({ ...home.env, [markVariable]: mark })
  const owned = stack.move()
  const world: CodexWorld = {
    model,
    cwd: workspace.path,
    codex: (options) =>
      new Codex({ codexPathOverride, baseUrl: model.url, apiKey: 'a-key-of-the-caller', env, ...options }),
    async runExample(code) {
      await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), `openai_base_url = "${model.url}"\n`)
      const path = `${home.path}${delimiter}${process.env['PATH']}`
      const command = [process.execPath, '--input-type=module', '-e', code] as const
      // The code lies in this package, because the SDK is a dependency of it.
      const options = {
        cwd: join(import.meta.dirname, '..'),
        env: { ...home.env, PATH: path, OPENAI_API_KEY: 'a-key' },
      }
      await using run = startProgram(command, options)
      return await run.result
    },
    quiet: () => waitUntil(() => descendantsWithMark(mark).length === 0, { what: 'an end of what the SDK started' }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return world
}

/** The content of the newest message of the user. */
export function newestInput({ body }: RecordedRequest): readonly Record<string, unknown>[] {
  const input = listAt(body, 'input')
  const message = input.findLast((entry) => entry['role'] === 'user')
  return listAt(message, 'content')
}

function listAt(value: unknown, key: string): readonly Record<string, unknown>[] {
  const list = isRecord(value) ? value[key] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
