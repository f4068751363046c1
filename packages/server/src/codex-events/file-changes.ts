import type { FileChangeEntry } from '@parley/protocol'
import type { FileChange, FileChanges } from './event-msg.ts'

/** Returns a patch as clients know it. Contents are read from the diffs, so they are cut where those were cut. */
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

/** Returns the lines of a file that is added or deleted. */
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

/** File of a patch, as its diff describes it. */
type ShownChange = Pick<FileChangeEntry, 'path' | 'kind' | 'movedTo' | 'additions' | 'deletions' | 'diff'>

const absent = '/dev/null'

/**
 * Reads the files of joined unified diffs, as a question about a patch shows them. Lines of a hunk are counted, since
 * a removed line may look like the start of the next file.
 */
export function readDiffs(text: string): readonly ShownChange[] {
  const files: string[][] = []
  let linesLeft = 0
  for (const line of text.split('\n')) {
    if (linesLeft <= 0 && line.startsWith('--- ')) files.push([])
    files.at(-1)?.push(line)
    linesLeft = line.startsWith('…') ? 0 : linesLeftAfter(line, linesLeft)
  }
  return files.map(changeIn)
}

/** Returns how many lines of the open hunk are left, both sides counted. */
function linesLeftAfter(line: string, linesLeft: number): number {
  if (linesLeft > 0)
    return linesLeft - (line.startsWith('\\') ? 0 : line.startsWith('+') || line.startsWith('-') ? 1 : 2)
  const [, before, after] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? []
  return line.startsWith('@@ ') ? Number(before ?? 1) + Number(after ?? 1) : 0
}

function changeIn(lines: readonly string[]): ShownChange {
  const [oldPath, newPath] = [pathIn(lines[0]), pathIn(lines[1])]
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

function pathIn(header = ''): string {
  return header.slice(4).split('\t', 1)[0] ?? ''
}
