import { join, relative } from 'node:path'
import { diskFiles } from '../files/disk-files.ts'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import { isMissing, systemErrorReason } from '../files/errors.ts'
import { liesWithin } from '../files/real-path.ts'
import { copyTree, type TreeCopy, usualCopyLimits } from './copy-tree.ts'
import { suggestForMissing } from './nearest-names.ts'
import {
  fileNameArguments,
  type Ripgrep,
  type RipgrepOutcome,
  type SearchProgram,
  type SearchTerms,
  searchArguments,
} from './ripgrep-run.ts'
import { type Collected, collectMatches, collectNames, type OutputCollector } from './search-output.ts'

interface SearchScope {
  readonly files: EnvironmentFiles
  readonly ripgrep: Ripgrep
  /** Real path; paths in the result are relative to it when they are below it. */
  readonly cwd: string
  /** Real path of the file or folder to search. */
  readonly path: string
  readonly shownPath: string
  readonly maxShown?: number
  readonly timeLimitMs?: number
  readonly signal?: AbortSignal
}

export interface TextSearch extends SearchScope, SearchTerms {
  /** Redacts the start of a cut line, which may end within a secret. */
  readonly redactCutLine?: (text: string) => string
}

interface NameSearch extends SearchScope {
  readonly globs: readonly string[]
  readonly includeIgnored?: boolean
}

type SearchOutcome =
  | {
      readonly kind: 'searched'
      readonly text: string
      readonly shown: number
      readonly leftOut: number
      /** False when the search was stopped early; `leftOut` is then a minimum. */
      readonly complete: boolean
    }
  | { readonly kind: 'failed'; readonly message: string }

const defaultMaxShown = 200
const defaultTimeLimitMs = 20_000
/** Below the 32 KiB of output that the model gets of one call. */
const maxTextBytes = 31 * 1024
const maxCountedBytes = 8 * 1024 * 1024

/** Searches file contents with ripgrep. */
export function searchText(search: TextSearch): Promise<SearchOutcome> {
  const collector = collectMatches({ ...outputLimits(search), redactCutLine: search.redactCutLine })
  return runSearch(search, searchArguments(search, pathArgument(search)), { collector, noun: 'matches' })
}

/** Lists files whose path matches the globs, with ripgrep. */
export function searchFileNames(search: NameSearch): Promise<SearchOutcome> {
  const collector = collectNames(outputLimits(search))
  const args = fileNameArguments(search.globs, pathArgument(search), search.includeIgnored ?? false)
  return runSearch(search, args, { collector, noun: 'files' })
}

interface Collection {
  readonly collector: OutputCollector
  readonly noun: string
}

async function runSearch(scope: SearchScope, args: readonly string[], collection: Collection): Promise<SearchOutcome> {
  const problem = await scopeProblem(scope)
  if (problem !== null) return failed(problem)
  const outcome = await scope.ripgrep.run({
    command: [...scope.ripgrep.command, ...args],
    cwd: scope.cwd,
    looksAt: scope.path,
    timeLimitMs: scope.timeLimitMs ?? defaultTimeLimitMs,
    onOutput: (chunk) => collection.collector.push(chunk),
    ...(scope.signal === undefined ? {} : { signal: scope.signal }),
  })
  const collected = collection.collector.finish()
  const failure = failureOf(outcome, collected)
  return failure === null ? present(outcome, collected, collection.noun) : failed(failure)
}

function outputLimits({ maxShown }: SearchScope) {
  return { maxShown: Math.max(1, Math.trunc(maxShown ?? defaultMaxShown)), maxTextBytes, maxCountedBytes }
}

function pathArgument({ cwd, path }: SearchScope): string {
  return liesWithin(path, cwd) ? relative(cwd, path) || '.' : path
}

/** Returns a sentence when the path cannot be searched; null otherwise. */
async function scopeProblem({
  path,
  shownPath,
  files,
}: Pick<SearchScope, 'path' | 'shownPath' | 'files'>): Promise<string | null> {
  try {
    await files.look(path)
    return null
  } catch (error) {
    if (isMissing(error)) return `${shownPath} does not exist.${await suggestForMissing(path, files)}`
    return `${shownPath} cannot be searched: ${systemErrorReason(error)}.`
  }
}

/** Returns a sentence for a failed run. Ripgrep exits with 1 for "no matches", with 2 even if only some files were unreadable. */
function failureOf(outcome: RipgrepOutcome, { shown }: Collected): string | null {
  if (outcome.kind === 'notStarted') return `The search program could not be started: ${outcome.reason}.`
  if (outcome.kind === 'stopped') return outcome.by === 'signal' ? 'The search was interrupted.' : null
  if (outcome.exitCode === 0 || outcome.exitCode === 1 || shown > 0) return null
  if (outcome.exitCode === 2 && outcome.stderr === '') return null
  return explainStderr(outcome.stderr)
}

function explainStderr(stderr: string): string {
  const glob = /error parsing glob '(.*)': (.*)/.exec(stderr)
  if (glob !== null) return `The glob ${glob[1]} is not valid: ${glob[2]}.`
  const syntax = /^error: (.*)$/m.exec(stderr)
  if (syntax !== null) return `The pattern is not a valid regular expression: ${syntax[1]}.`
  const [firstLine = ''] = stderr.replace(/^rg: /, '').split('\n')
  if (firstLine.includes('in a regex')) return `The pattern is not a valid regular expression: ${firstLine}.`
  return firstLine === '' ? 'The search program failed without an error message.' : `The search failed: ${firstLine}.`
}

function present(outcome: RipgrepOutcome, collected: Collected, noun: string): SearchOutcome {
  const { text, shown, leftOut } = collected
  const complete = outcome.kind === 'exited'
  const notes = [
    ...(leftOut > 0 ? [`${complete ? '' : 'at least '}${leftOut} more ${noun} not shown; narrow the search`] : []),
    ...(outcome.kind === 'stopped' && outcome.by === 'time'
      ? ['stopped at the time limit: not everything was searched']
      : []),
    ...(outcome.kind === 'exited' && outcome.exitCode === 2 ? ['some files could not be read'] : []),
  ]
  const parts = [shown === 0 ? `No ${noun} found.` : text, ...(notes.length > 0 ? [`[${notes.join('; ')}]`] : [])]
  return { kind: 'searched', text: parts.join('\n'), shown, leftOut, complete }
}

function failed(message: string): SearchOutcome {
  return { kind: 'failed', message }
}

interface EnvironmentSearch extends Omit<SearchScope, 'files' | 'ripgrep'> {
  readonly environment: { readonly files: EnvironmentFiles; readonly search: SearchProgram }
  readonly roots: readonly string[]
  readonly includeIgnored: boolean
  readonly search: (scope: SearchScope) => Promise<SearchOutcome>
}

/** Searches with the environment's own ripgrep. Without one, searches a local copy of the files. */
export async function searchEnvironment(request: EnvironmentSearch): Promise<SearchOutcome> {
  const { environment, roots, includeIgnored, search, ...scope } = request
  const { files } = environment
  const ripgrep = await environment.search.there(roots)
  if (ripgrep !== null) return search({ ...scope, files, ripgrep })
  const problem = (await scopeProblem({ ...scope, files })) ?? outsideProblem(scope)
  if (problem !== null) return { kind: 'failed', message: problem }
  await using copy = await copyTree({ ...scope, files, includeIgnored })
  const path = join(copy.folder, relative(scope.cwd, scope.path))
  const { here } = environment.search
  return withCopyNote(await search({ ...scope, cwd: copy.folder, path, files: diskFiles, ripgrep: here }), copy)
}

function outsideProblem({ path, cwd, shownPath }: Pick<SearchScope, 'path' | 'cwd' | 'shownPath'>): string | null {
  if (liesWithin(path, cwd)) return null
  return `${shownPath} lies outside the working directory, and without ripgrep on that machine only what lies in it can be searched.`
}

function withCopyNote(outcome: SearchOutcome, { truncated }: TreeCopy): SearchOutcome {
  if (outcome.kind === 'failed') return outcome
  const limit = truncated ? ` Only the first ${usualCopyLimits.files} files were searched.` : ''
  const note = `[There is no ripgrep on that machine: its files were read one by one, large ones left out.${limit}]`
  return { ...outcome, text: `${outcome.text}\n${note}`, complete: outcome.complete && !truncated }
}
