import type { FileChangeEntry } from '@parley/protocol'
import type { FileChange, FileChanges } from './event-msg.ts'

/** A patch as clients know it. Contents are read from the diffs, so what was too long for those is cut here too. */
export function fileChangesOf(changes: readonly FileChangeEntry[]): FileChanges {
  return Object.fromEntries(changes.map((change) => [change.path, fileChangeOf(change)]))
}

function fileChangeOf({ kind, diff, movedTo }: FileChangeEntry): FileChange {
  switch (kind) {
    case 'add':
      return { add: { content: sideOf(diff, '+') } }
    case 'delete':
      return { delete: { content: sideOf(diff, '-') } }
    case 'update':
      return { update: { unified_diff: diff, move_path: movedTo ?? null } }
  }
}

const fileHeader = /^(---|\+\+\+) /

function sideOf(diff: string, mark: '+' | '-'): string {
  const lines = diff.split('\n')
  const from = lines.findIndex((line) => line.startsWith('@@'))
  const kept = (from < 0 ? lines.filter((line) => !fileHeader.test(line)) : lines.slice(from + 1)).filter((line) =>
    from < 0 ? line !== '' : line.startsWith(mark) || line.startsWith('…'),
  )
  const text = kept.map((line) => (line.startsWith(mark) ? line.slice(1) : line)).join('\n')
  return text === '' || diff.includes('\n\\ No newline at end of file') ? text : `${text}\n`
}

/** One line about a patch, for a question. */
export function patchSummary(changes: readonly FileChangeEntry[]): string {
  const verbs = { add: 'add', update: 'change', delete: 'delete' } as const
  return changes
    .map(({ kind, path, movedTo, additions, deletions }) => {
      const where = movedTo === undefined ? path : `${path} → ${movedTo}`
      return `${verbs[kind]} ${where} (+${additions} −${deletions})`
    })
    .join(', ')
}
