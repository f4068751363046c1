import { join, relative } from 'node:path'
import { limitDefaults } from '@parley/config/defaults'
import { isMissing } from '@parley/text'
import { diskFiles } from '../files/disk-files.ts'
import type { EnvironmentFiles, FoundFile } from '../files/environment-files.ts'
import { systemErrorReason } from '../files/errors.ts'
import { liesWithin } from '../files/real-path.ts'
import { copyTree, type TreeCopy, usualCopyLimits } from './copy-tree.ts'
import { visiblePath } from './display-text.ts'
import { readWantedFiles, type WantedFiles } from './globs/wanted-files.ts'
import { suggestForMissing } from './nearest-names.ts'
import {
  fileNameArguments,
  type OpenedFiles,
  type RipgrepOutcome,
  type SearchProgram,
  type SearchTerms,
  searchArguments,
} from './ripgrep-run.ts'
import {
  type Collected,
  collectMatches,
  collectNames,
  type OutputCollector,
  type OutputLimits,
} from './search-output.ts'
import { argumentOf, runPasses, type SearchScope } from './search-passes.ts'
import { trackedIgnored } from './tracked-files.ts'

export interface TextSearch extends SearchScope, SearchTerms {
  /** Redacts the start of a cut line, which may end within a secret. */
  readonly redactCutLine?: (text: string) => string
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

/** Below the 32 KiB of output that the model gets of one call. */
const maxTextBytes = 31 * 1024
const maxCountedBytes = 8 * 1024 * 1024

/** Searches file contents with ripgrep. */
export function searchText(search: TextSearch): Promise<SearchOutcome> {
  const { redactCutLine } = search
  return runSearch(search, {
    collect: (limits) => collectMatches({ ...limits, redactCutLine }),
    toArguments: (opened) => searchArguments(search, opened),
    noun: 'matches',
  })
}

/** Lists files with paths that match the globs, with ripgrep. */
export function searchFileNames(search: SearchScope): Promise<SearchOutcome> {
  return runSearch(search, { collect: collectNames, toArguments: fileNameArguments, noun: 'files' })
}

interface SearchKind {
  readonly collect: (limits: OutputLimits) => OutputCollector
  readonly toArguments: (opened: OpenedFiles) => readonly string[]
  readonly noun: 'matches' | 'files'
}

async function runSearch(scope: SearchScope, kind: SearchKind): Promise<SearchOutcome> {
  const found = await lookAtScope(scope)
  if (typeof found === 'string') return failed(found)
  // A file that is named is searched, whatever globs say.
  const globs = found.kind === 'folder' ? (scope.globs ?? []) : []
  const wanted = readWantedFiles(globs, scope)
  if ('problem' in wanted) return failed(wanted.problem)
  const { outcome, collected } = await collectAll(scope, kind, wanted)
  const failure = failureOf(outcome, collected)
  if (failure !== null) return failed(failure)
  const isUnexplained = wanted.isChosen && collected.shown === 0 && outcome.kind === 'exited'
  const why = isUnexplained ? await whyNothing(scope, kind, wanted) : null
  return present(outcome, collected, { noun: kind.noun, why })
}

async function collectAll(scope: SearchScope, { collect, toArguments }: SearchKind, wanted: WantedFiles) {
  const seen = new Set<string>()
  const isWanted = (path: string) => {
    const isNamed = wanted.isWanted(path)
    if (isNamed) seen.add(path)
    return isNamed
  }
  const maxShown = Math.max(1, Math.trunc(scope.maxShown ?? limitDefaults.searchMatches))
  const collector = collect({ maxShown, maxTextBytes, maxCountedBytes, isWanted })
  const outcome = await runPasses(scope, { wanted, toArguments, collector, seen })
  return { outcome, collected: collector.finish() }
}

/** Explains why globs led to nothing: whether files fit them at all, and from where they count. */
async function whyNothing(scope: SearchScope, { noun }: SearchKind, wanted: WantedFiles): Promise<string> {
  const names: SearchKind = { collect: collectNames, toArguments: fileNameArguments, noun: 'files' }
  const count = async (place: SearchScope) => {
    const { collected } = await collectAll({ ...place, maxShown: 1 }, names, wanted)
    return collected.shown + collected.leftOut
  }
  const fitting = noun === 'files' ? 0 : await count(scope)
  if (fitting > 0) return `${fitting === 1 ? '1 file fits' : `${fitting} files fit`} the globs, without a match`
  if (scope.includeIgnored !== true && (await count({ ...scope, includeIgnored: true })) > 0)
    return 'only files that .gitignore hides fit the globs; include_ignored shows them'
  const here = argumentOf(scope.path, scope.cwd)
  return `no file fits the globs, which count from ${here === '.' ? '' : `${visiblePath(here)} and from `}the working directory`
}

/** Looks at the path; returns a sentence when it cannot be searched. */
async function lookAtScope({
  path,
  shownPath,
  files,
}: Pick<SearchScope, 'path' | 'shownPath' | 'files'>): Promise<FoundFile | string> {
  try {
    return await files.look(path)
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
  const syntax = /^error: (.*)$/m.exec(stderr)
  if (syntax !== null) return `The pattern is not a valid regular expression: ${syntax[1]}.`
  const [firstLine = ''] = stderr.replace(/^rg: /, '').split('\n')
  if (firstLine.includes('in a regex')) return `The pattern is not a valid regular expression: ${firstLine}.`
  return firstLine === '' ? 'The search program failed without an error message.' : `The search failed: ${firstLine}.`
}

/** Returns what was found. `why`: reason why nothing was, where that is known. */
function present(
  outcome: RipgrepOutcome,
  collected: Collected,
  { noun, why }: Pick<SearchKind, 'noun'> & { readonly why: string | null },
): SearchOutcome {
  const { text, shown, leftOut } = collected
  const complete = outcome.kind === 'exited'
  const notes = [
    ...(leftOut > 0 ? [`${complete ? '' : 'at least '}${leftOut} more ${noun} not shown; narrow the search`] : []),
    ...(outcome.kind === 'stopped' && outcome.by === 'time'
      ? ['stopped at the time limit: not everything was searched']
      : []),
    ...(outcome.kind === 'exited' && outcome.exitCode === 2 ? ['some files could not be read'] : []),
    ...(why === null ? [] : [why]),
  ]
  const parts = [shown === 0 ? `No ${noun} found.` : text, ...(notes.length > 0 ? [`[${notes.join('; ')}]`] : [])]
  return { kind: 'searched', text: parts.join('\n'), shown, leftOut, complete }
}

function failed(message: string): SearchOutcome {
  return { kind: 'failed', message }
}

interface EnvironmentSearch extends Omit<SearchScope, 'files' | 'ripgrep' | 'tracked'> {
  readonly environment: { readonly files: EnvironmentFiles; readonly search: SearchProgram }
  readonly roots: readonly string[]
  readonly includeIgnored: boolean
  /** Searches below the paths that it gets. */
  readonly search: (scope: SearchScope) => Promise<SearchOutcome>
}

/** Searches with the environment's own ripgrep. Without one, searches a local copy of the files. */
export async function searchEnvironment(request: EnvironmentSearch): Promise<SearchOutcome> {
  const { environment, roots, includeIgnored, search, ...scope } = request
  const { cwd, globs = [] } = scope
  const { files } = environment
  const ripgrep = await environment.search.there(roots)
  const tracked = includeIgnored ? [] : await trackedIgnored(scope.path, files)
  if (ripgrep !== null) return search({ ...scope, files, ripgrep, includeIgnored, tracked })
  const found = await lookAtScope({ ...scope, files })
  const problem = typeof found === 'string' ? found : outsideProblem(scope)
  if (problem !== null) return { kind: 'failed', message: problem }
  await using copy = await copyTree({ ...scope, files, includeIgnored })
  const copied = (path: string) => join(copy.folder, relative(cwd, path))
  const place = {
    cwd: copy.folder,
    path: copied(scope.path),
    globs: globs.map((glob) =>
      glob.replace(/^(!?)(\/.*)$/s, (_, not, path) => `${not}${liesWithin(path, cwd) ? copied(path) : path}`),
    ),
    tracked: tracked.map(copied),
    ...{ files: diskFiles, ripgrep: environment.search.here, includeIgnored },
  }
  return withCopyNote(await search({ ...scope, ...place }), copy)
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
