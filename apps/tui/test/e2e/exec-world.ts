import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AnswerStep,
  type CliOptions,
  type CliResult,
  type CliRun,
  cliPath,
  type ModelServer,
  runCli,
  type ScriptedStep,
  startCli,
  startModelServer,
  startProgram,
  tempHome,
  tempWorkspace,
} from '@parley/testkit'
import { vi } from 'vitest'
import { type RunInProcess, runInProcess, startInProcess } from './run-in-process.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

/** A home whose only provider is a scripted model on loopback, and a folder to work in. */
export interface ExecWorld extends AsyncDisposable {
  readonly model: ModelServer
  readonly env: { readonly HOME: string; readonly PARLEY_HOME: string }
  readonly home: string
  readonly cwd: string
  /** A path in the folder. */
  path(name: string): string
  writeConfig(text: string): Promise<void>
  /** `parley exec …` to its end, in this process; stdin is open and stays silent. */
  exec(args: readonly string[], options?: CliOptions): Promise<CliResult>
  /** The same with `--json`, and what its lines say. */
  execJson(args: readonly string[], options?: CliOptions): Promise<JsonRun>
  /** The same, with lines that are written while it runs. The next run in this process begins once it has ended. */
  live(args: readonly string[]): RunInProcess
  /** Another command to its end, in this process, with nothing on stdin. */
  parley(...argv: readonly string[]): Promise<CliResult>
  /** `parley exec …` to its end, as users start it: two processes. */
  spawn(args: readonly string[], options?: CliOptions): Promise<CliResult>
  start(args: readonly string[], options?: CliOptions): CliRun
  /** A shell line in which `$parley` is the program. */
  shell(line: string, options?: CliOptions): Promise<CliResult>
}

export interface JsonRun {
  readonly result: CliResult
  readonly events: readonly RunEvent[]
  readonly end: RunEnded
}

interface RunEvent {
  readonly type: string
  readonly [field: string]: unknown
}

interface RunEnded {
  readonly type: 'run.ended'
  readonly exitCode: number
  readonly conversationId: string
  readonly outcome: string | null
  readonly answer: string | null
  readonly failure: { readonly code: string; readonly message: string } | null
  readonly denials: readonly { readonly title: string; readonly reason: string }[]
}

interface Recipe {
  readonly steps?: readonly ScriptedStep[]
  readonly files?: Readonly<Record<string, string>>
  /** Further lines of `[model_providers.local]`. */
  readonly provider?: string
}

export async function execWorld({ steps = [], files = {}, provider = '' }: Recipe = {}): Promise<ExecWorld> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(steps))
  const home = stack.use(await tempHome())
  const workspace = stack.use(await tempWorkspace({ files }))
  const { env } = home
  const base = { env, cwd: workspace.path }
  const writeConfig = (text: string) => writeFile(join(env.PARLEY_HOME, 'config.toml'), text)
  await writeConfig(configFor(model.url, provider))
  const owned = stack.move()
  const parley = (argv: readonly string[], options?: CliOptions) => runInProcess(argv, { ...base, ...options })
  const exec = (args: readonly string[], options?: CliOptions) => parley(['exec', ...args], options)
  const spawn = (args: readonly string[], options: CliOptions = {}) =>
    runCli(['exec', ...args], { ...base, keepStdinOpen: options.stdin === undefined, ...options })
  return {
    model,
    env,
    home: home.path,
    cwd: workspace.path,
    path: (name) => join(workspace.path, name),
    writeConfig,
    exec,
    live: (args) => startInProcess(['exec', ...args], base),
    parley: (...argv) => parley(argv, { stdin: '' }),
    execJson: async (args, options) => jsonRun(await exec(['--json', ...args], options)),
    spawn,
    start: (args, options) => startCli(['exec', ...args], { ...base, keepStdinOpen: true, ...options }),
    async shell(line, options) {
      const parley = `parley() { "${process.execPath}" "${cliPath}" "$@"; }`
      await using run = startProgram(['bash', '-c', `${parley}\n${line}`], { ...base, ...options })
      return await run.result
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function configFor(url: string, provider: string): string {
  return `
model = "scripted"
model_provider = "local"
# Asks in the same way whether this machine has a sandbox or not.
approval_policy = "untrusted"

[model_providers.local]
name = "Local"
base_url = "${url}"
wire_api = "responses"
${provider}
`
}

export function jsonRun(result: CliResult): JsonRun {
  const lines = result.lines().map((line) => JSON.parse(line))
  const events = lines.slice(0, -1).map(({ event }) => event)
  return { result, events, end: lines.at(-1) }
}

/** An answer that calls the shell. */
export function shell(...commands: readonly string[]): AnswerStep {
  return { calls: commands.map((command) => ({ name: 'shell', arguments: { command } })) }
}

export function applyPatch(...lines: readonly string[]): AnswerStep {
  const patch = ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
  return { calls: [{ name: 'apply_patch', arguments: { patch } }] }
}

/** Returns the results that the model got for its newest calls. */
export function toldModel({ model }: ExecWorld): string[] {
  const { body } = model.requests.at(-1) ?? {}
  const input = isRecord(body) && Array.isArray(body['input']) ? body['input'] : []
  return input.filter(isRecord).flatMap(({ type, output }) => (type === 'function_call_output' ? [String(output)] : []))
}

/** The text of the newest message of the user. */
export function saidToModel({ model }: ExecWorld): string {
  const { body } = model.requests.at(-1) ?? {}
  const input = isRecord(body) && Array.isArray(body['input']) ? body['input'] : []
  const messages = input.filter(isRecord).filter(({ role }) => role === 'user')
  return JSON.stringify(messages.map(({ content }) => content))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Runs whatever the model asks for. */
export const fullAccess = ['-s', 'danger-full-access', '-c', 'approval_policy=on-request'] as const

/** On a machine without a full sandbox every run begins with saying so. */
export function withoutSandboxLine(stderr: string): string {
  return stderr.replace(/^parley: (?:The sandbox is only partial|There is no sandbox) here: .*\n/, '')
}
