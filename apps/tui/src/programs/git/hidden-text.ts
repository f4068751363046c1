import { remarkLines } from './changed-file.ts'
import { type DiffedFile, readSections } from './git-sections.ts'
import type { Git } from './safe-git.ts'

/** Limits of what is read of one file, and of the number of files. */
const maxFileBytes = 256 * 1024
const maxFiles = 2_000
const filesAtOnce = 8

/**
 * Returns files with the lines of those that are text although git shows none of them: attributes of a repository may call any
 * file binary, and what they hide would not be looked at.
 * @param words Words of `git diff` that name what is compared.
 */
export async function withHiddenText(
  files: readonly DiffedFile[],
  git: Git,
  words: readonly string[],
): Promise<readonly DiffedFile[]> {
  const hidden = files.filter(({ isHidden }) => isHidden)
  const texts = new Map<DiffedFile, DiffedFile>()
  for (let start = 0; start < hidden.length; start += filesAtOnce) {
    const batch = hidden.slice(start, start + filesAtOnce)
    const isUnread = start >= maxFiles
    const read = await Promise.all(batch.map((file) => (isUnread ? unread(file) : asText(file, git, words))))
    for (const [index, file] of batch.entries()) texts.set(file, read[index] ?? file)
  }
  return files.map((file) => texts.get(file) ?? file)
}

function unread(file: DiffedFile): DiffedFile {
  return { ...file, isWhole: false, diff: `${file.diff}${remarkLines(['Nobody has tried to read it as text.'])}` }
}

async function asText(file: DiffedFile, git: Git, words: readonly string[]): Promise<DiffedFile> {
  const { path, movedTo } = file
  const names = movedTo === undefined ? [path] : [path, movedTo]
  const diff = await git(['--literal-pathspecs', 'diff', '--text', ...words, '--', ...names], maxFileBytes)
  if (diff.kind === 'failed') return unread(file)
  const found = readSections(diff.output, diff.isCut).files.find(
    (one) => (one.movedTo ?? one.path) === (movedTo ?? path),
  )
  // Text has no NUL, by which git tells, too.
  if (found === undefined || found.diff.includes('\0') || !/^@@ /m.test(found.diff)) return file
  const remark = remarkLines(['Attributes of the repository call it no text; it is.'])
  // Git counts no lines of what attributes hide, also where it shows them.
  return {
    ...found,
    additions: linesOf(found.diff, '+'),
    deletions: linesOf(found.diff, '-'),
    diff: `${remark}${found.diff}`,
  }
}

function linesOf(diff: string, mark: '+' | '-'): number {
  return diff.split('\n').filter((line) => line.startsWith(mark)).length
}
