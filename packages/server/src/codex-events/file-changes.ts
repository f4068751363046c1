import type { FileChange, FileChanges } from './event-msg.ts'
import type { ShownChange } from './read-diffs.ts'

/** A patch as clients know it. Contents are read from the diffs, so what was too long for those is cut here too. */
export function fileChangesOf(changes: readonly ShownChange[]): FileChanges {
  return Object.fromEntries(changes.map((change) => [change.path, fileChangeOf(change)]))
}

function fileChangeOf({ kind, diff, movedTo }: ShownChange): FileChange {
  switch (kind) {
    case 'add':
      return { add: { content: sideOf(diff, '+') } }
    case 'delete':
      return { delete: { content: sideOf(diff, '-') } }
    case 'update':
      return { update: { unified_diff: diff, move_path: movedTo ?? null } }
  }
}

/** All lines of a file that is new or gone. */
function sideOf(diff: string, mark: '+' | '-'): string {
  const body = diff
    .split('\n')
    .slice(2)
    .filter((line) => line !== '' && !line.startsWith('@@'))
  const lines = body
    .filter((line) => !line.startsWith('\\'))
    .map((line) => (line.startsWith(mark) ? line.slice(1) : line))
  const isWhole = lines.length === body.length
  return lines.join('\n') + (lines.length > 0 && isWhole ? '\n' : '')
}
