import type { FileChangeEntry } from '@parley/protocol'
import type { FileChange, FileChanges } from './event-msg.ts'

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

/** A file of a patch as its diff tells it. */
type ShownChange = Pick<FileChangeEntry, 'path' | 'kind' | 'movedTo' | 'additions' | 'deletions' | 'diff'>

const absent = '/dev/null'

/**
 * The files in a text of unified diffs, one after the other: a question about a patch shows it so. Lines of a hunk are
 * counted, since one that is removed may look like the beginning of the next file.
 */
export function readDiffs(text: string): readonly ShownChange[] {
  const files: string[][] = []
  let owed = 0
  for (const line of text.split('\n')) {
    if (owed <= 0 && line.startsWith('--- ')) files.push([])
    files.at(-1)?.push(line)
    owed = line.startsWith('…') ? 0 : owedAfter(line, owed)
  }
  return files.map(changeIn)
}

/** Lines that the open hunk still has, both sides counted. */
function owedAfter(line: string, owed: number): number {
  if (owed > 0) return owed - (line.startsWith('\\') ? 0 : line.startsWith('+') || line.startsWith('-') ? 1 : 2)
  const [, before, after] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? []
  return line.startsWith('@@ ') ? Number(before ?? 1) + Number(after ?? 1) : 0
}

function changeIn(lines: readonly string[]): ShownChange {
  const [oldPath, newPath] = [nameIn(lines[0]), nameIn(lines[1])]
  const body = lines.slice(2)
  const counts = {
    additions: body.filter((line) => line.startsWith('+')).length,
    deletions: body.filter((line) => line.startsWith('-')).length,
  }
  const diff = `${lines.join('\n').replace(/\n+$/, '')}\n`
  if (oldPath === absent) return { path: newPath, kind: 'add', ...counts, diff }
  if (newPath === absent) return { path: oldPath, kind: 'delete', ...counts, diff }
  return { path: oldPath, kind: 'update', ...(newPath === oldPath ? {} : { movedTo: newPath }), ...counts, diff }
}

function nameIn(header = ''): string {
  return header.slice(4).split('\t', 1)[0] ?? ''
}
