import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { ServerProcess } from '@parley/client/server-process'
import { type CliOptions, type CliResult, cleanEnvironment, cliPath, tempDirectory } from '@parley/testkit'
import { ceilingFlags, withCallersKey, withCommandFromFlags } from '../../src/cli/early-arguments.ts'
import { homeFolder } from '../../src/cli/folders.ts'
import { type LaunchedServer, readNamedServer, scriptedArgs } from '../../src/cli/launch-server.ts'
import { leaveEndTo } from '../../src/cli/run-ended.ts'
import { runCommandLine } from '../../src/command-line/run-command-line.ts'

interface Served {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly moduleUrl: string
  readonly sandboxFile: string
}

const root = join(import.meta.dirname, '../../../..')
const moduleUrl = pathToFileURL(join(dirname(cliPath), 'server.mjs')).href
const sandboxFile = join(root, 'node_modules/.cache/parley-tests/sandbox-in-process.json')

let server: Promise<{ readonly serveInProcess: (served: Served) => ServerProcess }> | null = null

/** Bundles the server from its sources and loads it. No package imports the server: it comes as a program does. */
function loadServer() {
  const source = join(root, 'packages/server/test/fixtures/in-process-server.ts')
  const bundler = join(root, 'scripts/bundle/test-program.mjs')
  server ??= import(execFileSync(process.execPath, [bundler, source], { encoding: 'utf8' }).trim())
  return server
}

const hangingMs = 55_000

/** Runs are one after another: each has the working folder of the process. */
let last: Promise<unknown> = Promise.resolve()

/** A run that gets lines while it goes on. */
export interface RunInProcess extends AsyncDisposable {
  readonly result: Promise<CliResult>
  /** Returns the output so far. */
  stdout(): string
  write(text: string): void
  closeStdin(): void
}

interface Streams {
  readonly stdin: ReturnType<typeof stdinOf>
  readonly stdout: ReturnType<typeof outputIn>
  readonly stderr: ReturnType<typeof outputIn>
}

/**
 * Runs a command to its end with a server, both in this process: what costs 0.2 s of CPU as two processes costs a tenth.
 * For what is said, asked and recorded; signals, pipes and processes need real ones.
 */
export function runInProcess(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startInProcess(argv, options).result
}

/** Starts such a run, whose stdin stays open where it has no text. */
export function startInProcess(argv: readonly string[], options: CliOptions = {}): RunInProcess {
  const stdin = stdinOf(options.stdin)
  let begun: Streams | null = null
  const result = last.then(async () => {
    await using folder = await tempDirectory()
    using stdout = outputIn(join(folder.path, 'stdout'))
    using stderr = outputIn(join(folder.path, 'stderr'))
    // Commands that look something up write to the streams of the process.
    using _out = argv[0] === 'exec' ? null : redirected(process.stdout, stdout)
    using _err = argv[0] === 'exec' ? null : redirected(process.stderr, stderr)
    begun = { stdin, stdout, stderr }
    const exitCode = await runAlone(argv, options, begun)
    begun = null
    return resultOf(exitCode, stdout.text(), stderr.text())
  })
  // A run that hangs fails by the limit of its test; later runs do not wait for it.
  last = Promise.race([result, delay(hangingMs, undefined, { ref: false })]).catch(() => undefined)
  return {
    result,
    stdout: () => begun?.stdout.text() ?? '',
    write: (text) => void stdin.write(text),
    closeStdin: () => void stdin.end(),
    async [Symbol.asyncDispose]() {
      stdin.end()
      await result.catch(() => undefined)
    },
  }
}

async function runAlone(words: readonly string[], { env: given, cwd }: CliOptions, streams: Streams): Promise<number> {
  const { serveInProcess } = await loadServer()
  const argv = withCommandFromFlags(words)
  const env = withCallersKey(argv, cleanEnvironment(given))
  const [home, ceiling] = [homeFolder(env), ceilingFlags(argv)]
  const program = { version: '0.0.0', build: 'test', moduleUrl, serverEnv: {} }
  const served = { env: { ...env, PARLEY_HOME: home }, moduleUrl, sandboxFile }
  const before = process.cwd()
  process.chdir(cwd ?? before)
  try {
    const early = claimable(serveInProcess({ ...served, argv: [...ceiling, ...scriptedArgs, ...recordOf(argv)] }))
    const exitCode = await runCommandLine(argv, {
      launch: { program, home, env, ceiling, server: readNamedServer(argv, { env, home }), streams, early },
      window: null,
    })
    if (!early.isClaimed) early.kill('SIGTERM')
    await early.exited
    return exitCode
  } finally {
    // Files of a project share this process.
    leaveEndTo(null)
    process.chdir(before)
  }
}

/** Returns the argument by which a run asks its server to record. */
function recordOf(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--record')
  return at < 0 ? [] : argv.slice(at, at + 2)
}

function claimable(started: ServerProcess): LaunchedServer {
  let isClaimed = false
  return {
    ...started,
    claim() {
      isClaimed = true
    },
    get isClaimed() {
      return isClaimed
    },
  }
}

/** Stdin that ends after the text, or an open one that stays silent. */
function stdinOf(text: string | undefined) {
  const stdin = new PassThrough()
  if (text !== undefined) stdin.end(text)
  return Object.assign(stdin, { isTTY: false as const })
}

function outputIn(path: string) {
  const fd = openSync(path, 'w+')
  return {
    fd,
    write: (text: string) => void writeSync(fd, text),
    text: () => readFileSync(path, 'utf8'),
    [Symbol.dispose]: () => closeSync(fd),
  }
}

/** What is written to a stream of this process goes into the output of the run. */
function redirected(stream: NodeJS.WriteStream, output: ReturnType<typeof outputIn>): Disposable {
  const write = stream.write
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    output.write(String(chunk))
    const whenWritten = rest.at(-1)
    if (typeof whenWritten === 'function') whenWritten(null)
    return true
  }
  return {
    [Symbol.dispose]: () => {
      stream.write = write
    },
  }
}

function resultOf(exitCode: number, stdout: string, stderr: string): CliResult {
  return { exitCode, signal: null, stdout, stderr, lines: () => stdout.split('\n').filter((line) => line !== '') }
}
