import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  cleanEnvironment,
  descendantsWithMark,
  describeProcess,
  type EnvVariables,
  killMarked,
  markVariable,
  newMark,
} from './processes.ts'

export type CliOptions = {
  readonly env?: EnvVariables
  readonly cwd?: string
  /** Text written to stdin before stdin is closed. */
  readonly stdin?: string
  /** Leaves stdin open for `write` and `closeStdin` of the run. */
  readonly keepStdinOpen?: boolean
  /** Time after which the process tree is killed and `result` rejects. Default 45 000. */
  readonly timeoutMs?: number
}

export type CliResult = {
  /** Exit code, null when a signal ended the program. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Returns the non-empty lines of stdout. */
  lines(): string[]
}

export type CliRun = AsyncDisposable & {
  readonly pid: number
  /** Settles when the program has exited and its output has ended, or 1 s after the exit if a descendant holds the pipe. */
  readonly result: Promise<CliResult>
  /** Returns the output so far; `stderr` likewise. */
  stdout(): string
  stderr(): string
  write(text: string): void
  closeStdin(): void
  signal(name: NodeJS.Signals): void
  /** Lists the live processes of the tree, the program included. */
  processes(): number[]
}

/** Path of the built program, the bundle that users run. */
export const cliPath = fileURLToPath(new URL('../../../apps/tui/dist/parley.mjs', import.meta.url))

/** Runs the built CLI on this process's Node to its end, then kills its process tree. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  await using run = startCli(argv, options)
  return await run.result
}

export function startCli(argv: readonly string[], options: CliOptions = {}): CliRun {
  return startProgram([process.execPath, cliPath, ...argv], options)
}

/** Starts a program with a clean environment, a marked process tree and a time limit. */
export function startProgram(command: readonly [string, ...string[]], options: CliOptions = {}): CliRun {
  const mark = newMark()
  const [file, ...args] = command
  const env = cleanEnvironment({ ...options.env, [markVariable]: mark })
  const child = spawn(file, args, { cwd: options.cwd, env, stdio: 'pipe' })
  const output = collectOutput(child)
  // A program may end without reading stdin, which fails the write.
  child.stdin.on('error', () => undefined)
  if (options.stdin !== undefined) child.stdin.write(options.stdin)
  if (!options.keepStdinOpen) child.stdin.end()
  const result = waitForResult(child, output, { mark, command, timeoutMs: options.timeoutMs ?? 45_000 })
  // A caller may await the result later or only dispose; the rejection must not count as unhandled.
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

type CliOutput = { stdout: string; stderr: string }

function collectOutput(child: ChildProcessWithoutNullStreams): CliOutput {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return output
}

type Bounds = { readonly mark: string; readonly command: readonly string[]; readonly timeoutMs: number }

async function waitForResult(
  child: ChildProcessWithoutNullStreams,
  output: CliOutput,
  bounds: Bounds,
): Promise<CliResult> {
  const closed = once(child, 'close')
  const finished = Promise.race([closed, exitThenGrace(child)])
  let survivors: readonly string[] | null = null
  const timer = setTimeout(() => {
    survivors = descendantsWithMark(bounds.mark).map(describeProcess)
    killMarked(bounds.mark)
  }, bounds.timeoutMs)
  try {
    await finished
  } finally {
    clearTimeout(timer)
  }
  if (survivors !== null) throw new Error(tooLong(bounds, survivors, output))
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

function tooLong({ command, timeoutMs }: Bounds, survivors: readonly string[], output: CliOutput): string {
  return [
    `${command.join(' ')} ran longer than ${timeoutMs} ms`,
    lastOutput(output),
    'still running:',
    ...survivors,
  ].join('\n')
}

function lastOutput(output: CliOutput): string {
  return `stdout: ${output.stdout.slice(-2_000)}\nstderr: ${output.stderr.slice(-2_000)}`
}
