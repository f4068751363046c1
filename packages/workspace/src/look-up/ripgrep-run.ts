import { dirname } from 'node:path'
import type { SandboxLimits } from '@parley/host'
import { liesWithin } from '../files/real-path.ts'

/** Ripgrep of the machine that has the files, or this machine's own for a copy of them. */
export interface SearchProgram {
  /** Finds ripgrep on the machine of the files; null where none is installed outside the writable `roots`. */
  there(roots: readonly string[]): Promise<Ripgrep | null>
  readonly here: Ripgrep
}

export interface Ripgrep {
  /** Program and leading arguments; the search adds its own behind them. */
  readonly command: readonly [program: string, ...args: string[]]
  run(run: RipgrepRun): Promise<RipgrepOutcome>
}

export interface RipgrepRun {
  /** Program and arguments, started without a shell and with an empty environment. */
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  /** Real path of the file or folder to search. */
  readonly looksAt: string
  readonly timeLimitMs: number
  readonly signal?: AbortSignal
  /** Receives stdout in order; returning false stops the program. */
  readonly onOutput: (chunk: Buffer) => boolean
}

export type RipgrepOutcome =
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly stderr: string }
  | { readonly kind: 'stopped'; readonly by: StopReason }
  | { readonly kind: 'notStarted'; readonly reason: string }

type StopReason = 'output' | 'time' | 'signal'

/** Ripgrep running as some kind of process. */
interface BoundedProcess {
  kill(): void
  /** Never rejects. */
  readonly ended: Promise<BoundedEnd>
}

export type BoundedEnd =
  | { readonly kind: 'exited'; readonly exitCode: number | null }
  | { readonly kind: 'notStarted'; readonly reason: string }

type TakeOutput = (stream: 'stdout' | 'stderr', chunk: Buffer) => void

const maxStderrBytes = 8 * 1024

/** Runs ripgrep within the bounds of `run` on output and time, and kills the process at the first one exceeded or on abort. */
export async function runBounded(
  run: RipgrepRun,
  start: (takeOutput: TakeOutput) => BoundedProcess,
): Promise<RipgrepOutcome> {
  if (run.signal?.aborted) return { kind: 'stopped', by: 'signal' }
  let stopped: StopReason | null = null
  let stderr = ''
  const process = start((stream, chunk) => {
    if (stream === 'stdout') {
      if (stopped === null && !run.onOutput(chunk)) stop('output')
    } else if (stderr.length < maxStderrBytes) stderr += chunk.toString('utf8')
  })
  function stop(by: StopReason): void {
    stopped ??= by
    process.kill()
  }
  const onAbort = () => stop('signal')
  const timer = setTimeout(stop, run.timeLimitMs, 'time')
  run.signal?.addEventListener('abort', onAbort, { once: true })
  const end = await process.ended
  clearTimeout(timer)
  run.signal?.removeEventListener('abort', onAbort)
  if (stopped !== null) return { kind: 'stopped', by: stopped }
  return end.kind === 'exited' ? { ...end, stderr } : end
}

/**
 * Sandbox limits of a run: read-only, no network. Secret paths are masked unless `looksAt` lies in one, which policy has
 * judged.
 */
export function ripgrepLimits({ command, cwd, looksAt }: RipgrepRun, secrets: readonly string[]): SandboxLimits {
  const [program] = command
  const needed = [cwd, looksAt, dirname(program)]
  return {
    mode: 'read-only',
    // Read-only mode lets nothing be written; listing them keeps them visible where a private /tmp would hide them.
    writableRoots: [...new Set(needed)],
    network: false,
    unixSockets: false,
    masked: secrets.filter(
      (secret) => !liesWithin(secret, looksAt) && !needed.some((path) => liesWithin(path, secret)),
    ),
    scratch: null,
  }
}

export interface SearchTerms {
  readonly pattern: string
  /** Treats the pattern as plain text. */
  readonly literal?: boolean
  readonly ignoreCase?: boolean
  /** Globs in ripgrep's syntax; a leading `!` excludes. */
  readonly globs?: readonly string[]
  readonly contextLines?: number
  /** Includes files that `.gitignore` excludes. */
  readonly includeIgnored?: boolean
}

const maxColumns = 500
const maxContextLines = 20

/**
 * Returns the arguments for a text search. Model input only follows `-e`, `-g` or `--`, so it is never read as an
 * option. Ripgrep follows no links, reads no configuration and starts no program.
 */
export function searchArguments(terms: SearchTerms, path: string): string[] {
  const context = Math.min(Math.max(0, Math.trunc(terms.contextLines ?? 0)), maxContextLines)
  return [
    ...commonArguments(terms.globs ?? [], terms.includeIgnored ?? false),
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--crlf',
    `--max-columns=${maxColumns}`,
    '--max-columns-preview',
    `--context=${context}`,
    ...(terms.literal ? ['--fixed-strings'] : []),
    ...(terms.ignoreCase ? ['--ignore-case'] : []),
    '-e',
    terms.pattern,
    '--',
    path,
  ]
}

/** Returns the arguments that list file names, each followed by a NUL. */
export function fileNameArguments(globs: readonly string[], path: string, includeIgnored: boolean): string[] {
  return [...commonArguments(globs, includeIgnored), '--files', '--', path]
}

/** Sorts by path: this limits ripgrep to one thread, but a clipped result is the same each time. */
function commonArguments(globs: readonly string[], includeIgnored: boolean): string[] {
  return [
    '--no-config',
    '--no-messages',
    '--no-follow',
    '--no-require-git',
    '--no-ignore-global',
    '--hidden',
    '--color=never',
    '--sort=path',
    '--null',
    ...(includeIgnored ? ['--no-ignore'] : []),
    ...globs.flatMap((glob) => ['-g', glob]),
    // Last, because later globs take precedence.
    '-g',
    '!.git',
  ]
}
