import type { FileChangeEntry } from '@parley/protocol'

/** Characters of all diffs of one patch: deleting a large file must not put all of it into the log, three times. */
const maxLength = 512 * 1024

/** The changes with their diffs cut to a common budget; a cut one says so in its last line. */
export function clipDiffs(changes: readonly FileChangeEntry[], budget = maxLength): FileChangeEntry[] {
  let left = budget
  return changes.map((change) => {
    const diff = clip(change.diff, left)
    left -= diff.length
    return { ...change, diff }
  })
}

function clip(diff: string, limit: number): string {
  if (diff.length <= limit) return diff
  const end = diff.lastIndexOf('\n', Math.max(0, limit))
  const kept = diff.slice(0, end + 1)
  const leftOut = diff.slice(end + 1).split('\n').length - 1
  return `${kept}… ${leftOut} more lines\n`
}
