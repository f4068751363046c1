import type { Approval } from '@parley/protocol'
import { fileWords, hiddenWarnings } from '@parley/protocol/question'
import { collapseBlanks, hiddenParts, showHidden } from '../text/control-characters.ts'
import { parseDiff, renderDiff, withoutListedNames } from '../text/diff.ts'
import type { Line, Room } from '../text/span.ts'
import { wrapLine, wrapLines } from '../text/wrap.ts'
import { confusableWarnings } from './confusables.ts'

type Detailed = Pick<Approval, 'kind' | 'detail' | 'files'>

/** Returns everything an answer would allow, with hidden characters shown by number. */
export function approvalDetail(approval: Detailed, room: Room): readonly Line[] {
  return [...askedFiles(approval, room), ...askedText(approval, room)]
}

/** Returns one line per file of a patch. */
export function askedFiles({ files = [] }: Pick<Approval, 'files'>, room: Room): readonly Line[] {
  return files.flatMap((file) =>
    wrapLine([{ text: fileWords(file), bold: true }], { ...room, mode: 'anywhere', hang: 2 }),
  )
}

/** Returns the text of a command, or the diffs of a patch. */
export function askedText({ kind, detail, files = [] }: Detailed, room: Room): readonly Line[] {
  const text = detail.replace(/\n+$/, '')
  if (text === '') return []
  if (kind === 'patch') return renderDiff(withoutListedNames(parseDiff(showHidden(text)), files), room)
  return wrapLines(revealedLines(text), { ...room, mode: 'anywhere' })
}

/** Returns the lines of a text, styling the number of a hidden character apart from plain text. */
export function revealedLines(text: string): readonly Line[] {
  const lines: Line[] = [[]]
  for (const { text: piece, stands } of hiddenParts(collapseBlanks(text))) {
    for (const [index, part] of piece.split('\n').entries()) {
      if (index > 0) lines.push([])
      const line = lines.pop() ?? []
      if (part === '') lines.push(line)
      else lines.push([...line, stands ? { text: part, bold: true, tone: 'bad' } : { text: part, bold: true }])
    }
  }
  return lines
}

type Shown = Pick<Approval, 'kind' | 'detail' | 'title'>

/** Cached warnings: checking a long text takes as long as a whole frame may. */
const warningsByApproval = new WeakMap<Shown, readonly string[]>()

/** Returns warnings about hidden characters and confusables, as sentences; empty for nearly all approvals. */
export function characterWarnings(approval: Shown): readonly string[] {
  const found = warningsByApproval.get(approval) ?? findCharacterWarnings(approval)
  warningsByApproval.set(approval, found)
  return found
}

function findCharacterWarnings({ kind, detail, title }: Shown): readonly string[] {
  const hasPrograms = kind === 'command' || kind === 'escalation' || kind === 'network'
  const text = hasPrograms ? detail : `${title}\n${detail}`
  return [
    ...hiddenWarnings(text),
    ...confusableWarnings(kind === 'patch' ? pathsOfDiff(detail) : text, { hasPrograms }),
  ]
}

/** Returns the file names of a patch, the only part of it that can mislead about the target. */
function pathsOfDiff(detail: string): string {
  return detail
    .split('\n')
    .filter((line) => /^(?:---|\+\+\+) /.test(line))
    .map((line) => line.slice(4))
    .join('\n')
}
