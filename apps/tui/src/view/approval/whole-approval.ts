import type { Approval, Enforcement } from '@parley/protocol'
import { describeQuestion, fileWords } from '@parley/protocol/question'
import { choicesFor } from '../../ui/answers.ts'
import { collapseBlanks, hiddenParts, showHidden, shownLine } from '../text/control-characters.ts'
import { parseDiff, renderDiff, withoutListedNames } from '../text/diff.ts'
import { wrapLine, wrapLines } from '../text/fit-rows.ts'
import { beside, indented, marked } from '../text/gutter.ts'
import type { Line, Room, Span } from '../text/span.ts'
import { contextRows } from './approval-context.ts'

/** Returns a complete approval for the transcript, however long. */
export function wholeApproval(
  asked: { readonly approval: Approval; readonly enforcement: Enforcement },
  room: Room,
): readonly Line[] {
  const { approval } = asked
  return [
    ...headRows(approval, room),
    ...indented([...wholeTitle(approval, beside(room)), ...approvalDetail(approval, beside(room))]),
    ...warningRows(approval, room),
    ...indented(contextRows({ ...asked, homeFolder: '' }, beside(room), 'named')),
    ...alwaysRows(approval, room),
  ]
}

/** Returns the question, followed by `more` on its row. */
export function headRows(approval: Approval, room: Room, more: readonly Span[] = []): readonly Line[] {
  const question: Line = [{ text: describeQuestion(approval, 'none').asks, bold: true, tone: 'warn' }, ...more]
  return marked({ text: '?', tone: 'warn', bold: true }, wrapLine(question, beside(room)))
}

/** Returns the title, unless the detail repeats it (a command's first line, a patch's files). */
export function wholeTitle(approval: Approval, room: Room): readonly Line[] {
  const { title } = describeQuestion(approval, 'none')
  return title === null ? [] : wrapLine([{ text: title, bold: true }], room)
}

/** Returns the warnings, each with an exclamation mark since colour alone may be missed. */
export function warningRows(approval: Approval, room: Room): readonly Line[] {
  const { warnings } = describeQuestion(approval, 'none')
  const lines = warnings.map((text): Line => [{ text: `! ${text}`, tone: 'bad', bold: true }])
  return indented(lines.flatMap((line) => wrapLine(line, beside(room))))
}

/** Returns the label of what a permanent yes would allow. */
export function alwaysLabel({ always }: Approval): string {
  return shownLine(always?.label ?? '')
}

/** Returns what a permanent yes would allow, where offered. */
function alwaysRows(approval: Approval, room: Room): readonly Line[] {
  const choice = choicesFor(approval).find(({ answer }) => answer === 'yesAlways')
  if (choice === undefined) return []
  const text = `${choice.digit} would always allow, in every folder, with or without a sandbox: ${alwaysLabel(approval)}`
  return indented(wrapLine([{ text, tone: 'muted' }], beside(room)))
}

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
  for (const { text: piece, isReplaced } of hiddenParts(collapseBlanks(text))) {
    for (const [index, part] of piece.split('\n').entries()) {
      if (index > 0) lines.push([])
      const line = lines.pop() ?? []
      if (part === '') lines.push(line)
      else lines.push([...line, isReplaced ? { text: part, bold: true, tone: 'bad' } : { text: part, bold: true }])
    }
  }
  return lines
}
