import type { FileChangeEntry } from '@parley/protocol'
import type { Span } from '../view/review/review-span.ts'
import { findSpan, SpanError } from './git-span.ts'
import { readShortText } from './read-short-text.ts'
import { createGit, createUnfilteredGit, type Git, problemText, textOf } from './safe-git.ts'

export type GitChanges =
  /** `isCut`: the diff was too long to be read whole. */
  | { readonly kind: 'changes'; readonly files: readonly FileChangeEntry[]; readonly isCut: boolean }
  | { readonly kind: 'problem'; readonly text: string }

const maxDiffBytes = 4 * 1024 * 1024
/** Limit of new files whose text is shown. */
const maxNewFiles = 100

/** `--submodule=short`, since other forms start git in a submodule, by whose settings it runs programs. */
const diffOptions = [
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames'],
  ...['--ignore-submodules=dirty', '--submodule=short'],
]

/** Reads what differs below the folder: by default from the last commit of its repository, new files included. */
export async function readGitChanges(
  folder: string,
  env: NodeJS.ProcessEnv,
  span: Span = { kind: 'workTree' },
): Promise<GitChanges> {
  const git = createGit(folder, env)
  const unfiltered = await createUnfilteredGit(folder, env)
  if (typeof unfiltered !== 'function') return { kind: 'problem', text: problemText(unfiltered, folder) }
  if (await worksElsewhere(git))
    return { kind: 'problem', text: `${folder} is not in the work tree of its repository.` }
  try {
    const { from, to } = await findSpan(git, folder, span)
    const commits = to === null ? [from] : [from, to]
    const [diff, created] = await Promise.all([
      unfiltered(
        ['diff', ...diffOptions, '--relative', '--numstat', '--patch', '-z', ...commits, '--', '.'],
        maxDiffBytes,
      ),
      to === null ? newNames(git) : [],
    ])
    if (diff.kind === 'failed') return { kind: 'problem', text: problemText(diff, folder) }
    const added = await Promise.all(created.map((name, index) => newFile(folder, name, index < maxNewFiles)))
    return { kind: 'changes', files: [...parsedDiff(textOf(diff)), ...added], isCut: diff.isCut }
  } catch (error) {
    if (error instanceof SpanError) return { kind: 'problem', text: error.message }
    throw error
  }
}

/** Tests if the repository names another folder as its work tree, whose files would be read in place of those here. */
async function worksElsewhere(git: Git): Promise<boolean> {
  return textOf(await git(['rev-parse', '--is-inside-work-tree'])).trim() === 'false'
}

/** Lists the files that git does not know yet. */
async function newNames(git: Git): Promise<readonly string[]> {
  const listed = await git(['ls-files', '--others', '--exclude-standard', '-z', '--', '.'])
  return textOf(listed)
    .split('\0')
    .filter((name) => name !== '')
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
  const text = isRead ? await readShortText(folder, path) : null
  const lines = text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const diff =
    lines.length === 0 ? '' : `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}\n`
  return { path, kind: 'add', additions: lines.length, deletions: 0, diff, before: null, after: null }
}
