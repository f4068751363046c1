import type { Approval } from '@parley/protocol'
import { fileWords, hiddenWarnings } from '@parley/protocol/question'
import { collapseBlanks } from './collapse-blanks.ts'
import { parseDiff, renderDiff } from './diff-lines.ts'
import { doubtfulLetters } from './doubtful-letters.ts'
import { withoutListedNames } from './listed-names.ts'
import { hiddenParts, showHidden } from './neutralise.ts'
import type { Line, Room } from './span.ts'
import { wrapLine, wrapLines } from './wrap.ts'

type Detailed = Pick<Approval, 'kind' | 'detail' | 'files'>

/** All of what an answer would allow, nothing hidden: characters that cannot be seen are shown by number. */
export function approvalDetail(approval: Detailed, room: Room): readonly Line[] {
  return [...askedFiles(approval, room), ...askedText(approval, room)]
}

/** Every file of a patch on a line of its own, before what happens in them. */
export function askedFiles({ files = [] }: Pick<Approval, 'files'>, room: Room): readonly Line[] {
  return files.flatMap((file) =>
    wrapLine([{ text: fileWords(file), bold: true }], { ...room, mode: 'anywhere', hang: 2 }),
  )
}

/** The text of a command, or the diffs of a patch. */
export function askedText({ kind, detail, files = [] }: Detailed, room: Room): readonly Line[] {
  const text = detail.replace(/\n+$/, '')
  if (text === '') return []
  if (kind === 'patch') return renderDiff(withoutListedNames(parseDiff(showHidden(text)), files), room)
  return wrapLines(revealedLines(text), { ...room, mode: 'anywhere' })
}

/** What stands for a character that cannot be seen looks different from the same letters in the text. */
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

/** A question is painted many times, and looking at every letter of a long one takes as long as a frame may. */
const known = new WeakMap<Shown, readonly string[]>()

/** What about it may deceive the eye, in sentences; empty for nearly everything. */
export function deceptions(approval: Shown): readonly string[] {
  const found = known.get(approval) ?? findDeceptions(approval)
  known.set(approval, found)
  return found
}

function findDeceptions({ kind, detail, title }: Shown): readonly string[] {
  const hasPrograms = kind === 'command' || kind === 'escalation' || kind === 'network'
  const text = hasPrograms ? detail : `${title}\n${detail}`
  return [...hiddenWarnings(text), ...doubtfulLetters(kind === 'patch' ? pathsOfDiff(detail) : text, { hasPrograms })]
}

/** Of what a patch writes only the names of files can mislead about where. */
function pathsOfDiff(detail: string): string {
  return detail
    .split('\n')
    .filter((line) => /^(?:---|\+\+\+) /.test(line))
    .map((line) => line.slice(4))
    .join('\n')
}
