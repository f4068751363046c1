import { type ChangedFile, remarkLines } from './changed-file.ts'

/**
 * Returns what is staged and is not in the work tree any more: a commit would contain it.
 * @param tracked What the work tree has.
 */
export function stagedOtherwise(
  staged: readonly ChangedFile[],
  tracked: readonly ChangedFile[],
): readonly ChangedFile[] {
  const byPath = new Map(tracked.map((file) => [nameOf(file), file]))
  return staged.flatMap((file) => {
    const here = byPath.get(nameOf(file))
    if (here === undefined) return [remarked(file, 'This is staged and undone in the work tree')]
    return isWithin(file, here) ? [] : [remarked(file, 'This is staged, and otherwise in the work tree')]
  })
}

function nameOf({ path, movedTo = path }: ChangedFile): string {
  return movedTo
}

function remarked(file: ChangedFile, remark: string): ChangedFile {
  return { ...file, diff: `${remarkLines([`${remark}: a commit would contain it.`])}${file.diff}` }
}

/** Tests if all that one diff adds and removes is in another one. What is missing there is not held against it. */
function isWithin({ diff }: ChangedFile, other: ChangedFile): boolean {
  if (!other.isWhole) return true
  const lines = new Set(other.diff.split('\n'))
  return diff.split('\n').every((line) => !/^[+-]/.test(line) || lines.has(line))
}
