import { join, relative } from 'node:path'
import { limitDefaults } from '@parley/config/defaults'
import { foldersUp } from '@parley/host'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import { whenUnknown } from '../files/errors.ts'
import { liesWithin } from '../files/real-path.ts'
import type { WantedFiles } from './globs/wanted-files.ts'
import type { OpenedFiles, Ripgrep, RipgrepOutcome, RuleKind } from './ripgrep-run.ts'
import type { OutputCollector } from './search-output.ts'

export interface SearchScope {
  readonly files: EnvironmentFiles
  readonly ripgrep: Ripgrep
  /** Real path; paths in the result are relative to it when they are below it. */
  readonly cwd: string
  /** Real path of the file or folder to search. */
  readonly path: string
  readonly shownPath: string
  /** Globs that choose files; a leading `!` excludes. */
  readonly globs?: readonly string[]
  /** Includes files that `.gitignore` excludes. */
  readonly includeIgnored?: boolean
  /** Real paths of files that are searched although a rule may name them. */
  readonly tracked?: readonly string[]
  readonly maxShown?: number
  readonly timeLimitMs?: number
  readonly signal?: AbortSignal
}

interface Passes {
  readonly wanted: WantedFiles
  readonly toArguments: (opened: OpenedFiles) => readonly string[]
  readonly collector: OutputCollector
  /** Paths in the output, as ripgrep prints them. */
  readonly seen: ReadonlySet<string>
}

/** Limit of the paths that one run gets as arguments. */
const maxArgumentBytes = 64 * 1024

/** Runs ripgrep on the path, then on what git tracks below it although a rule names it. */
export async function runPasses(scope: SearchScope, passes: Passes): Promise<RipgrepOutcome> {
  const { wanted, toArguments, collector, seen } = passes
  const { cwd, path, ripgrep, includeIgnored = false, timeLimitMs = limitDefaults.searchTimeMs, signal } = scope
  const unread = includeIgnored ? [] : await unreadRules(scope)
  const run = (paths: readonly string[]) =>
    ripgrep.run({
      command: [...ripgrep.command, ...toArguments({ paths, names: wanted.names, includeIgnored, unread })],
      cwd,
      looksAt: path,
      timeLimitMs,
      onOutput: (chunk) => collector.push(chunk),
      ...(signal === undefined ? {} : { signal }),
    })
  const folders = await foldersToOpen(scope, wanted)
  let outcome: RipgrepOutcome = folders.length === 0 ? nothing : await run(folders)
  if (includeIgnored || outcome.kind !== 'exited') return outcome
  for (const paths of inPieces(await trackedToOpen(scope, wanted, seen))) {
    const next = await run(paths)
    if (next.kind !== 'exited') return next
    outcome = joined(outcome, next)
  }
  return outcome
}

const ruleFiles = [
  ['.gitignore', 'vcs'],
  ['.ignore', 'dot'],
  ['.rgignore', 'dot'],
  ['.git/info/exclude', 'exclude'],
] as const satisfies readonly (readonly [name: string, kind: RuleKind])[]

/** Returns the kinds of rule files that are pipes or devices in the folder or above: ripgrep would wait for one to be written. */
async function unreadRules({ files, path }: SearchScope): Promise<readonly RuleKind[]> {
  const folders = foldersUp(path)
  const found = await Promise.all(
    ruleFiles.flatMap(([name, kind]) =>
      folders.map(async (folder) => {
        const file = await files.look(join(folder, name)).catch(whenUnknown(null))
        return file?.kind === 'other' ? [kind] : []
      }),
    ),
  )
  return [...new Set(found.flat())]
}

type Exited = Extract<RipgrepOutcome, { kind: 'exited' }>

/** Outcome of a run that finds nothing. */
const nothing: Exited = { kind: 'exited', exitCode: 1, stderr: '' }

function joined(one: Exited, other: Exited): Exited {
  if (one.exitCode === 2 || other.exitCode === 2) return one.exitCode === 2 ? one : other
  return one.exitCode === 0 ? one : other
}

/**
 * Returns the start paths of ripgrep. It starts in the folders of all wanted files only where ignore rules do not
 * count: rules do not hide paths that are named to it.
 */
async function foldersToOpen({ files, path, cwd, includeIgnored }: SearchScope, { folders }: WantedFiles) {
  if (includeIgnored !== true || folders === null) return [argumentOf(path, cwd)]
  const found = await Promise.all(
    folders.map(async (folder) => ((await isPlain(folder, 'folder', files)) ? folder : null)),
  )
  return found.flatMap((folder) => (folder === null ? [] : [argumentOf(folder, cwd)]))
}

/** Returns the existing tracked files that are wanted and that ripgrep has not opened by itself. */
async function trackedToOpen(
  { files, cwd, tracked = [] }: SearchScope,
  { isWanted }: WantedFiles,
  seen: ReadonlySet<string>,
): Promise<readonly string[]> {
  const paths = tracked.filter((file) => {
    const path = argumentOf(file, cwd)
    return !seen.has(path) && isWanted(path)
  })
  const there = await Promise.all(paths.map((path) => isPlain(path, 'file', files)))
  return paths.flatMap((path, index) => (there[index] === true ? [argumentOf(path, cwd)] : []))
}

/** Tests if a path is of this kind, without a link on the way: ripgrep follows links in paths that are named to it. */
async function isPlain(path: string, kind: 'file' | 'folder', files: EnvironmentFiles): Promise<boolean> {
  const [real, found] = await Promise.all([
    files.realPath(path).catch(whenUnknown(null)),
    files.look(path).catch(whenUnknown(null)),
  ])
  return real === path && found?.kind === kind
}

/** Returns a path as ripgrep gets and prints it. */
export function argumentOf(path: string, cwd: string): string {
  return liesWithin(path, cwd) ? relative(cwd, path) || '.' : path
}

function inPieces(paths: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = []
  let room = 0
  for (const path of paths) {
    room -= Buffer.byteLength(path) + 1
    if (room < 0) {
      pieces.push([])
      room = maxArgumentBytes
    }
    pieces.at(-1)?.push(path)
  }
  return pieces
}
