import type { FileChangeEntry } from '../schema/call-parts.ts'

/** File of a patch, as its diff describes it. */
export type ShownChange = Pick<FileChangeEntry, 'path' | 'kind' | 'movedTo' | 'additions' | 'deletions' | 'diff'>

const absent = '/dev/null'

/** Reads the files of joined diffs. Counts lines of hunks: a removed one may look like the start of the next file. */
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

/**
 * Returns the lines that a diff shows of the file before or after, without headers. Of an added or deleted file that is
 * all of it, unless the diff was cut: then the last line says so.
 */
export function sideOfDiff(diff: string, side: 'before' | 'after'): string {
  const [own, other] = side === 'before' ? ['-', '+'] : ['+', '-']
  const lines: string[] = []
  let isOwn = false
  let end = '\n'
  for (const line of diff.split('\n').slice(2)) {
    if (line === '' || line.startsWith('@@')) continue
    if (line.startsWith('\\')) {
      if (isOwn) end = ''
      continue
    }
    isOwn = !line.startsWith(other)
    if (!isOwn) continue
    lines.push(line.startsWith(own) || line.startsWith(' ') ? line.slice(1) : line)
    end = '\n'
  }
  return lines.length === 0 ? '' : lines.join('\n') + end
}
