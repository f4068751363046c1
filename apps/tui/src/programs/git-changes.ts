import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileChangeEntry } from '@parley/protocol'
import { type ProgramEnd, runProgram } from './run-program.ts'

export type GitChanges =
  /** `isCut`: the diff was too long to be read whole. */
  | { readonly kind: 'changes'; readonly files: readonly FileChangeEntry[]; readonly isCut: boolean }
  | { readonly kind: 'problem'; readonly text: string }

const timeLimitMs = 20_000
const maxDiffBytes = 4 * 1024 * 1024
const maxListBytes = 1024 * 1024
/** Limits of new files whose text is shown. */
const maxNewBytes = 64 * 1024
const maxNewFiles = 100

/**
 * Settings under which git runs no program that a repository names: hooks, monitors, pagers, and transports that would
 * fetch missing objects. Filters are switched off by name.
 */
const safeSettings = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.pager=cat', 'core.quotePath=false'],
  ...['protocol.allow=never', 'submodule.recurse=false', 'diff.ignoreSubmodules=dirty'],
].flatMap((setting) => ['-c', setting])

const diffOptions = ['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', '--ignore-submodules=dirty']

/** Reads what differs between the folder and the last commit of its repository, new files included. */
export async function readGitChanges(folder: string, env: NodeJS.ProcessEnv): Promise<GitChanges> {
  const git = createGit(folder, env)
  const filters = await git(['config', '--null', '--name-only', '--get-regexp', filterKeys], maxListBytes)
  if (isProblem(filters) && !isEmptyAnswer(filters)) return { kind: 'problem', text: problemText(filters, folder) }
  const filtering = filterNames(textOf(filters))
  const head = await git(['rev-parse', '--quiet', '--verify', 'HEAD'], maxListBytes)
  if (isProblem(head) && !isEmptyAnswer(head)) return { kind: 'problem', text: problemText(head, folder) }
  const base = isProblem(head) ? emptyTree : 'HEAD'
  const unfiltered = createGit(folder, withoutFilters(env, filtering))
  const [diff, listed] = await Promise.all([
    unfiltered(['diff', ...diffOptions, '--relative', '--numstat', '--patch', '-z', base, '--', '.'], maxDiffBytes),
    git(['ls-files', '--others', '--exclude-standard', '-z', '--', '.'], maxListBytes),
  ])
  if (diff.kind === 'failed') return { kind: 'problem', text: problemText(diff, folder) }
  const created = textOf(listed)
    .split('\0')
    .filter((name) => name !== '')
  const added = await Promise.all(created.map((name, index) => newFile(folder, name, index < maxNewFiles)))
  return { kind: 'changes', files: [...parsedDiff(textOf(diff)), ...added], isCut: diff.isCut }
}

const filterKeys = '^filter\\..*\\.(clean|smudge|process|required)$'

/** Tree without files, which git knows in every repository. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

type Git = (words: readonly string[], maxBytes: number) => Promise<ProgramEnd>

/** Returns git for a folder. It starts elsewhere, so that no program of the folder is taken for it. */
function createGit(folder: string, env: NodeJS.ProcessEnv): Git {
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, GIT_PREFIX: ____, ...own } = env
  const quiet = {
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'none',
  }
  return (words, maxBytes) =>
    runProgram({
      argv: ['git', '--no-pager', ...safeSettings, '-C', folder, ...words],
      cwd: '/',
      env: { ...own, ...quiet, LC_ALL: 'C' },
      timeLimitMs,
      maxBytes,
    })
}

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

function isProblem(end: ProgramEnd): boolean {
  return end.kind === 'failed' || end.exitCode !== 0
}

/** Returns true for the answer that there is no such key, or no commit yet. */
function isEmptyAnswer(end: ProgramEnd): boolean {
  return end.kind === 'failed' && end.reason === 'it ended with 1'
}

function textOf(end: ProgramEnd): string {
  return end.kind === 'ended' ? end.output.toString('utf8') : ''
}

function problemText(end: ProgramEnd, folder: string): string {
  const reason = end.kind === 'failed' ? end.reason : 'git was stopped'
  if (/ENOENT/.test(reason)) return 'git is not installed, so there is nothing to compare with.'
  if (/not a git repository/i.test(reason))
    return `${folder} is in no git repository, so there is nothing to compare with.`
  return `git could not compare: ${reason.replace(/^fatal: /, '')}`
}

interface Counted {
  readonly path: string
  readonly before: string | null
  readonly additions: number
  readonly deletions: number
}

/** Reads names and counts, which end with NUL, then the patch of each file in the same order. */
function parsedDiff(text: string): readonly FileChangeEntry[] {
  const end = text.indexOf('\0\0')
  if (end < 0) return []
  const counted = countedFiles(text.slice(0, end).split('\0'))
  const patches = text.slice(end + 2).split(/^(?=diff --git |\* Unmerged path )/m)
  return counted.map(({ path, before, ...counts }, index) => {
    const patch = patches[index] ?? ''
    const at = patch.search(/^@@ /m)
    const head = at < 0 ? patch : patch.slice(0, at)
    const kind = /^new file mode/m.test(head) ? 'add' : /^deleted file mode/m.test(head) ? 'delete' : 'update'
    const names = before === null ? { path } : { path: before, movedTo: path }
    return { ...names, kind, ...counts, diff: at < 0 ? '' : patch.slice(at), before: null, after: null }
  })
}

function countedFiles(fields: readonly string[]): readonly Counted[] {
  const files: Counted[] = []
  for (let at = 0; at < fields.length; at += 1) {
    const match = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields[at] ?? '')
    if (match === null) continue
    const [, additions, deletions, path = ''] = match
    const counts = { additions: Number(additions) || 0, deletions: Number(deletions) || 0 }
    // A renamed file has its two names in fields of their own.
    if (path !== '') files.push({ path, before: null, ...counts })
    else files.push({ path: fields[at + 2] ?? '', before: fields[at + 1] ?? null, ...counts })
    if (path === '') at += 2
  }
  return files
}

/** Returns a file that git does not know yet, with its text where that is short. */
async function newFile(folder: string, path: string, isRead: boolean): Promise<FileChangeEntry> {
  const text = isRead ? await readShortText(join(folder, path)) : null
  const lines = text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const diff =
    lines.length === 0 ? '' : `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}\n`
  return { path, kind: 'add', additions: lines.length, deletions: 0, diff, before: null, after: null }
}

/** Returns the text of a regular file; null for other files, long ones and those that are no text. */
async function readShortText(path: string): Promise<string | null> {
  try {
    const { size } = await lstat(path)
    if (size > maxNewBytes) return null
    // A pipe put in its place meanwhile must not hold the window up.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return null
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxNewBytes), 0, maxNewBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
    return bytes.includes(0) ? null : bytes.toString('utf8')
  } catch {
    return null
  }
}
