import { dirname } from 'node:path'
import type { SandboxLimits } from '@parley/host'
import { liesWithin } from '../files/real-path.ts'

/** Ripgrep of the machine that has the files, or this machine's own for a copy of them. */
export interface SearchProgram {
  /** Finds ripgrep on the machine of the files; null unless it is installed outside the writable `roots`. */
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
  | { readonly kind: 'stopped'; readonly by: RipgrepStop }
  | { readonly kind: 'notStarted'; readonly reason: string }

type RipgrepStop = 'output' | 'time' | 'signal'

export type BoundedEnd =
  | { readonly kind: 'exited'; readonly exitCode: number | null }
  | { readonly kind: 'notStarted'; readonly reason: string }

const maxStderrBytes = 8 * 1024

/**
 * Runs ripgrep within the bounds of `run` on output and time, and kills the process at the first one exceeded or on
 * abort. `start` starts it as some kind of process, with an end that never rejects.
 */
export async function runBounded(
  run: RipgrepRun,
  start: (takeOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void) => {
    kill(): void
    readonly ended: Promise<BoundedEnd>
  },
): Promise<RipgrepOutcome> {
  if (run.signal?.aborted) return { kind: 'stopped', by: 'signal' }
  let stopped: RipgrepStop | null = null
  let stderr = ''
  const process = start((stream, chunk) => {
    if (stream === 'stdout') {
      if (stopped === null && !run.onOutput(chunk)) stop('output')
    } else if (stderr.length < maxStderrBytes) stderr += chunk.toString('utf8')
  })
  function stop(by: RipgrepStop): void {
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
  readonly contextLines?: number
}

const maxColumns = 500
const maxContextLines = 20

export interface OpenedFiles {
  /** Files and folders; a file is opened whatever rules say. */
  readonly paths: readonly string[]
  /** Globs of names; empty for any. Not in its own globs, which win over the rules of `.gitignore`. */
  readonly names: readonly string[]
  readonly includeIgnored: boolean
  readonly unread: readonly RuleKind[]
}

/** Rule files by the options of ripgrep that leave them out: `.gitignore`; `.ignore`; excludes of the repository. */
export type RuleKind = 'vcs' | 'dot' | 'exclude'

/**
 * Returns the arguments for a text search. Model input only follows `-e`, in a type or behind `--`, so it is never
 * read as an option. Ripgrep follows no links, reads no configuration and starts no program.
 */
export function searchArguments(terms: SearchTerms, opened: OpenedFiles): string[] {
  const context = Math.min(Math.max(0, Math.trunc(terms.contextLines ?? 0)), maxContextLines)
  return [
    ...commonArguments(opened),
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
    ...opened.paths,
  ]
}

/** Returns the arguments that list file names, each followed by a NUL. */
export function fileNameArguments(opened: OpenedFiles): string[] {
  return [...commonArguments(opened), '--files', '--', ...opened.paths]
}

/** Sorts by path: this limits ripgrep to one thread, but a clipped result is the same each time. */
function commonArguments({ names, includeIgnored, unread }: OpenedFiles): string[] {
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
    ...(includeIgnored ? ['--no-ignore'] : unread.map((kind) => `--no-ignore-${kind}`)),
    ...names.map((name) => `--type-add=wanted:${name}`),
    ...(names.length === 0 ? [] : ['--type=wanted']),
    '--glob=!.git',
  ]
}
