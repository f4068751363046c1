import { relative } from 'node:path'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import { isMissing, systemErrorReason } from '../files/errors.ts'
import { liesWithin } from '../files/workspace-path.ts'
import { suggestForMissing } from './nearest-names.ts'
import { fileNameArguments, type SearchTerms, searchArguments } from './ripgrep-arguments.ts'
import type { Ripgrep, RipgrepOutcome } from './ripgrep-run.ts'
import { type Collected, collectMatches, collectNames, type OutputCollector } from './search-output.ts'

export interface SearchScope {
  readonly files: EnvironmentFiles
  readonly ripgrep: Ripgrep
  /** A real path too; paths in the answer are relative to it when they lie in it. */
  readonly cwd: string
  /** Real path of the file or folder to search. */
  readonly path: string
  readonly shownPath: string
  readonly maxShown?: number
  readonly timeLimitMs?: number
  readonly signal?: AbortSignal
}

export interface TextSearch extends SearchScope, SearchTerms {
  /** Makes of the beginning of a line that is cut what may be shown. */
  readonly redactCutLine?: (text: string) => string
}

export interface NameSearch extends SearchScope {
  readonly globs: readonly string[]
  readonly includeIgnored?: boolean
}

export type SearchOutcome =
  | {
      readonly kind: 'searched'
      readonly text: string
      readonly shown: number
      readonly leftOut: number
      /** False: the search was cut short, and `leftOut` is the least there is. */
      readonly complete: boolean
    }
  | { readonly kind: 'failed'; readonly message: string }

const defaultMaxShown = 200
const defaultTimeLimitMs = 20_000
/** The model is told at most 32 KiB of one call. */
const maxTextBytes = 31 * 1024
const maxCountedBytes = 8 * 1024 * 1024

/** Searches the lines of files with ripgrep. */
export function searchText(search: TextSearch): Promise<SearchOutcome> {
  const collector = collectMatches({ ...outputLimits(search), redactCutLine: search.redactCutLine })
  return runSearch(search, searchArguments(search, pathArgument(search)), { collector, noun: 'matches' })
}

/** Lists the files whose path matches the globs. */
export function searchFileNames(search: NameSearch): Promise<SearchOutcome> {
  const collector = collectNames(outputLimits(search))
  const args = fileNameArguments(search.globs, pathArgument(search), search.includeIgnored ?? false)
  return runSearch(search, args, { collector, noun: 'files' })
}

interface Collection {
  readonly collector: OutputCollector
  readonly noun: string
}

async function runSearch(place: SearchScope, args: readonly string[], harvest: Collection): Promise<SearchOutcome> {
  const complaint = await scopeProblem(place)
  if (complaint !== null) return failed(complaint)
  const outcome = await place.ripgrep.run({
    command: [...place.ripgrep.command, ...args],
    cwd: place.cwd,
    looksAt: place.path,
    timeLimitMs: place.timeLimitMs ?? defaultTimeLimitMs,
    onOutput: (chunk) => harvest.collector.push(chunk),
    ...(place.signal === undefined ? {} : { signal: place.signal }),
  })
  const collected = harvest.collector.finish()
  const failure = failureOf(outcome, collected)
  return failure === null ? present(outcome, collected, harvest.noun) : failed(failure)
}

function outputLimits({ maxShown }: SearchScope) {
  return { maxShown: Math.max(1, Math.trunc(maxShown ?? defaultMaxShown)), maxTextBytes, maxCountedBytes }
}

function pathArgument({ cwd, path }: SearchScope): string {
  return liesWithin(path, cwd) ? relative(cwd, path) || '.' : path
}

/** Why there is nothing to search, or null. */
export async function scopeProblem({
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

/** ripgrep ends with 1 for "no matches" and with 2 for any error, also when only some files could not be read. */
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
  return firstLine === '' ? 'The search program ended without a word.' : `The search failed: ${firstLine}.`
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
