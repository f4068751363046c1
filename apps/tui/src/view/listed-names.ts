import type { AskedFile } from '@parley/protocol'
import type { DiffLine } from './diff-lines.ts'
import { showHidden } from './neutralise.ts'

/**
 * The diffs without the two lines that name each file, where a list of the files stands above them: nothing for a
 * single file, one line with the path for several. Lines that do not name the file whose turn it is stay as they are.
 */
export function withoutListedNames(lines: readonly DiffLine[], files: readonly AskedFile[]): readonly DiffLine[] {
  if (files.length === 0) return lines
  const kept: DiffLine[] = []
  let at = 0
  for (let index = 0; index < lines.length; index += 1) {
    const [line, next] = [lines[index], lines[index + 1]]
    const file = files[at]
    if (line === undefined || (line.kind === 'file' && line.text === '')) continue
    if (file === undefined || !namesFile(line, next, file)) kept.push(line)
    else {
      if (files.length > 1) kept.push({ kind: 'file', text: nameOf(file) })
      at += 1
      index += 1
    }
  }
  return kept
}

/** Whether these are the two header lines of this file's diff. */
function namesFile(line: DiffLine, next: DiffLine | undefined, file: AskedFile): boolean {
  if (line.kind !== 'file' || next?.kind !== 'file') return false
  const before = file.kind === 'add' ? nowhere : file.path
  const after = file.kind === 'delete' ? nowhere : (file.movedTo ?? file.path)
  return line.text === showHidden(`--- ${before}`) && next.text === showHidden(`+++ ${after}`)
}

const nowhere = '/dev/null'

function nameOf({ path, movedTo }: AskedFile): string {
  return showHidden(movedTo === undefined ? path : `${path} → ${movedTo}`)
}
