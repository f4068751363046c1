import type { ProgramByName } from '@parley/text'
import { type ProgramEnd, runProgram } from '../../processes/run-program.ts'

const timeLimitMs = 20_000
const maxAnswerBytes = 1024 * 1024

/**
 * Settings that keep git from running programs of a repository: hooks, monitors, pagers, and transports that would
 * fetch missing objects. Filters are switched off by name.
 */
const safeSettings = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.pager=cat', 'core.quotePath=false'],
  ...['protocol.allow=never', 'submodule.recurse=false', 'diff.ignoreSubmodules=dirty'],
].flatMap((setting) => ['-c', setting])

/** Runs git with these words, and keeps at most `maxBytes` of its output. */
export type Git = (words: readonly string[], maxBytes?: number) => Promise<ProgramEnd>

/** Returns git for a folder. It starts in `/`, so that a program of the folder is not started in its place. */
export function createGit(folder: string, env: NodeJS.ProcessEnv): Git {
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, GIT_PREFIX: ____, ...own } = env
  const quiet = {
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'none',
  }
  const program: ProgramByName = 'git'
  return (words, maxBytes = maxAnswerBytes) =>
    runProgram({
      argv: [program, '--no-pager', ...safeSettings, '-C', folder, ...words],
      cwd: '/',
      env: { ...own, ...quiet, LC_ALL: 'C' },
      timeLimitMs,
      maxBytes,
    })
}

/** Returns git with the filters of the repository switched off, or the failure to list them. */
export async function createUnfilteredGit(folder: string, env: NodeJS.ProcessEnv): Promise<Git | ProgramEnd> {
  const listed = await createGit(folder, env)(['config', '--null', '--name-only', '--get-regexp', filterKeys])
  if (isProblem(listed) && !isEmptyAnswer(listed)) return listed
  return createGit(folder, withoutFilters(env, filterNames(textOf(listed))))
}

const filterKeys = '^filter\\..*\\.(clean|smudge|process|required)$'

function filterNames(listed: string): readonly string[] {
  return listed.split('\0').filter((name) => name !== '')
}

/** Returns variables that switch the filters off. `-c` cannot: the name of a filter may contain `=`. */
function withoutFilters(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0
  const settings = names.flatMap((name, index): readonly (readonly [string, string])[] => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, name.endsWith('.required') ? 'false' : ''],
  ])
  return { ...env, ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(first + names.length) }
}

export function isProblem(end: ProgramEnd): boolean {
  return end.kind === 'failed' || end.exitCode !== 0
}

/** Returns true for the answer that a key or a commit does not exist. */
export function isEmptyAnswer(end: ProgramEnd): boolean {
  return end.kind === 'failed' && end.reason === 'it ended with 1'
}

export function textOf(end: ProgramEnd): string {
  return end.kind === 'ended' ? end.output.toString('utf8') : ''
}

export function problemText(end: ProgramEnd, folder: string): string {
  const reason = end.kind === 'failed' ? end.reason : 'git was stopped'
  if (/ENOENT/.test(reason)) return 'git is not installed, so there is nothing to compare with.'
  if (/not a git repository/i.test(reason))
    return `${folder} is in no git repository, so there is nothing to compare with.`
  return `git could not compare: ${reason.replace(/^fatal: /, '')}`
}
