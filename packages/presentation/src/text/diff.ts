import type { AskedFile } from '@parley/protocol'
import { showHidden, stripEffects } from './control-characters.ts'

export interface DiffLine {
  readonly kind: 'file' | 'hunk' | 'context' | 'added' | 'removed' | 'note'
  /** Text without the marker, safe to print. */
  readonly text: string
  readonly oldLine?: number
  readonly newLine?: number
}

/** Lines still expected in the current hunk, and their numbers. */
interface Hunk {
  oldLine: number
  newLine: number
  oldLeft: number
  newLeft: number
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/**
 * Parses a unified diff. Inside a hunk the counts of its header decide, so a removed `-- x` is no file header. Counts
 * that are too high, as models write them, end at the next header.
 */
export function parseDiff(diff: string): readonly DiffLine[] {
  let hunk: Hunk = { oldLine: 0, newLine: 0, oldLeft: 0, newLeft: 0 }
  const lines: DiffLine[] = []
  for (const raw of diff.replace(/\n$/, '').split('\n')) {
    const header = hunkHeader.exec(raw)
    if ((hunk.oldLeft > 0 || hunk.newLeft > 0) && /^(?:[ +\-\\]|\r?$)/.test(raw)) lines.push(hunkLine(raw, hunk))
    else if (header !== null) {
      hunk = startHunk(header)
      lines.push({ kind: 'hunk', text: stripEffects(raw) })
    } else lines.push({ kind: raw.startsWith('\\') ? 'note' : 'file', text: stripEffects(raw) })
  }
  return lines
}

function startHunk(header: RegExpExecArray): Hunk {
  const [, oldLine, oldCount = '1', newLine, newCount = '1'] = header
  return {
    oldLine: Number(oldLine),
    newLine: Number(newLine),
    oldLeft: Number(oldCount),
    newLeft: Number(newCount),
  }
}

function hunkLine(raw: string, hunk: Hunk): DiffLine {
  const text = stripEffects(raw.slice(1).replace(/\r$/, ''))
  if (raw.startsWith('\\')) return { kind: 'note', text: stripEffects(raw) }
  if (raw.startsWith('+')) {
    hunk.newLeft -= 1
    return { kind: 'added', text, newLine: hunk.newLine++ }
  }
  hunk.oldLeft -= 1
  if (raw.startsWith('-')) return { kind: 'removed', text, oldLine: hunk.oldLine++ }
  hunk.newLeft -= 1
  return { kind: 'context', text, oldLine: hunk.oldLine++, newLine: hunk.newLine++ }
}

/**
 * Drops the two header lines of each file that a list above the diff already names. Several files keep one line with
 * the path. Headers that do not name the expected file stay.
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

/** Returns the diff with at most so many lines of context beside each change; one hunk line replaces each gap. */
export function withContext(lines: readonly DiffLine[], most: number): readonly DiffLine[] {
  const isKept = lines.map(
    ({ kind }, at) => kind !== 'context' || lines.slice(Math.max(0, at - most), at + most + 1).some(isChange),
  )
  return lines.flatMap((line, at) => {
    if (isKept[at] === true) return [line]
    const next = lines[isKept.indexOf(true, at)]
    const isBetween = isKept[at - 1] === true && isContent(lines[at - 1]) && isContent(next)
    return isBetween ? [{ kind: 'hunk', text: '' } as const] : []
  })
}

function isChange(line: DiffLine | undefined): boolean {
  return line?.kind === 'added' || line?.kind === 'removed'
}

function isContent(line: DiffLine | undefined): boolean {
  return isChange(line) || line?.kind === 'context'
}

/** Returns true if these are the two header lines of this file's diff. */
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
