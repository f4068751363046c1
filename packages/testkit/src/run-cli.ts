import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { cleanEnvironment, type Environment } from './clean-environment.ts'
import { descendantsWithMark, killMarked, markVariable, newMark } from './processes.ts'

export type CliOptions = {
  readonly env?: Environment
  readonly cwd?: string
  /** Written to stdin, which is then closed. */
  readonly stdin?: string
  /** Leaves stdin an open pipe; the run's `write` and `closeStdin` drive it. */
  readonly keepStdinOpen?: boolean
  /** After this long the whole tree is killed and the result rejects. 20 s when absent. */
  readonly timeoutMs?: number
}

export type CliResult = {
  /** Null when a signal ended the program. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Non-empty lines of stdout. */
  lines(): string[]
}

export type CliRun = AsyncDisposable & {
  readonly pid: number
  /** Settles when the program has exited and its output ended (a descendant that holds the pipe delays it 1 s at most). */
  readonly result: Promise<CliResult>
  /** Output so far. */
  stdout(): string
  stderr(): string
  write(text: string): void
  closeStdin(): void
  signal(name: NodeJS.Signals): void
  /** Live processes of the run's tree, the program itself included. */
  processes(): number[]
}

/** The built program; end-to-end tests run the bundle that users run. */
export const cliPath = fileURLToPath(new URL('../../../apps/tui/dist/parley.mjs', import.meta.url))

/** Runs the built CLI on the repository's own Node to its end; nothing of it survives. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  await using run = startCli(argv, options)
  return await run.result
}

export function startCli(argv: readonly string[], options: CliOptions = {}): CliRun {
  return startProgram([process.execPath, cliPath, ...argv], options)
}

/** Starts any program under the same care: clean environment, marked tree, bounded time. */
export function startProgram(command: readonly [string, ...string[]], options: CliOptions = {}): CliRun {
  const mark = newMark()
  const [file, ...args] = command
  const env = cleanEnvironment({ ...options.env, [markVariable]: mark })
  const child = spawn(file, args, { cwd: options.cwd, env, stdio: 'pipe' })
  const output = collect(child)
  // A program may end without reading its stdin; that is its right.
  child.stdin.on('error', () => undefined)
  if (options.stdin !== undefined) child.stdin.write(options.stdin)
  if (!options.keepStdinOpen) child.stdin.end()
  const result = settle(child, output, { mark, command, timeoutMs: options.timeoutMs ?? 20_000 })
  // Its reader may come later, or only dispose.
  result.catch(() => undefined)
  return {
    pid: child.pid ?? -1,
    result,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    write: (text) => void child.stdin.write(text),
    closeStdin: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    processes: () => descendantsWithMark(mark),
    [Symbol.asyncDispose]: async () => {
      killMarked(mark)
      await result.catch(() => undefined)
    },
  }
}

type Output = { stdout: string; stderr: string }

function collect(child: ChildProcessWithoutNullStreams): Output {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return output
}

type Bounds = { readonly mark: string; readonly command: readonly string[]; readonly timeoutMs: number }

async function settle(child: ChildProcessWithoutNullStreams, output: Output, bounds: Bounds): Promise<CliResult> {
  const closed = once(child, 'close')
  const finished = Promise.race([closed, exitThenGrace(child)])
  let expired = false
  const timer = setTimeout(() => {
    expired = true
    killMarked(bounds.mark)
  }, bounds.timeoutMs)
  try {
    await finished
  } finally {
    clearTimeout(timer)
  }
  if (expired) throw new Error(`${bounds.command.join(' ')} ran longer than ${bounds.timeoutMs} ms\n${tail(output)}`)
  const { stdout, stderr } = output
  return {
    exitCode: child.exitCode,
    signal: child.signalCode,
    stdout,
    stderr,
    lines: () => stdout.split('\n').filter((line) => line !== ''),
  }
}

const pipeGraceMs = 1_000

async function exitThenGrace(child: ChildProcessWithoutNullStreams): Promise<void> {
  await once(child, 'exit')
  await new Promise((resolve) => setTimeout(resolve, pipeGraceMs).unref())
}

function tail(output: Output): string {
  return `stdout: ${output.stdout.slice(-2_000)}\nstderr: ${output.stderr.slice(-2_000)}`
}
