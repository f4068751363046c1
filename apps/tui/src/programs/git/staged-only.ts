import { type ChangedFile, remarkLines } from './changed-file.ts'

/** Returns staged changes that the work tree has no longer: a commit would contain them. `tracked`: changes of the work tree. */
export function stagedOnly(staged: readonly ChangedFile[], tracked: readonly ChangedFile[]): readonly ChangedFile[] {
  const byPath = new Map(tracked.map((file) => [nameOf(file), file]))
  return staged.flatMap((file) => {
    const here = byPath.get(nameOf(file))
    if (here === undefined) return [withRemark(file, 'This is staged and undone in the work tree')]
    return isWithin(file, here) ? [] : [withRemark(file, 'This is staged, and otherwise in the work tree')]
  })
}

function nameOf({ path, movedTo = path }: ChangedFile): string {
  return movedTo
}

function withRemark(file: ChangedFile, remark: string): ChangedFile {
  return { ...file, diff: `${remarkLines([`${remark}: a commit would contain it.`])}${file.diff}` }
}

/** Tests if one diff contains all lines that another one adds and removes. Passes if the containing diff is not whole. */
function isWithin({ diff }: ChangedFile, other: ChangedFile): boolean {
  if (!other.isWhole) return true
  const lines = new Set(other.diff.split('\n'))
  return diff.split('\n').every((line) => !/^[+-]/.test(line) || lines.has(line))
}
