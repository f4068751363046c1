import { remarkLines } from './changed-file.ts'
import { type DiffedFile, readSections } from './git-sections.ts'
import type { Git } from './safe-git.ts'

/** Limits: bytes of one file, number of files, and files at the same time. */
const maxFileBytes = 256 * 1024
const maxFiles = 2_000
const filesAtOnce = 8

/**
 * Returns files with the lines of text files that git does not show: attributes of a repository may call any file
 * binary, and a review would miss its lines. `words`: words of `git diff` that name the states to compare.
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
  // Text has no NUL: git decides by that, too.
  if (found === undefined || found.diff.includes('\0') || !/^@@ /m.test(found.diff)) return file
  const remark = remarkLines(['Attributes of the repository call it no text; it is.'])
  // Git counts no lines of a file that attributes hide, even when it shows them.
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
