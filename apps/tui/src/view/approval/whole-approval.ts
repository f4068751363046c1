import { alwaysWords } from '@parley/presentation/question/answer-words'
import { choicesFor } from '@parley/presentation/question/answers'
import { dangerWords } from '@parley/presentation/question/reasons'
import { collapseBlanks, hiddenParts, showHidden, shownLine } from '@parley/presentation/text/control-characters'
import { type DiffLine, parseDiff, withContext, withoutListedNames } from '@parley/presentation/text/diff'
import { shortPath } from '@parley/presentation/text/formats'
import { type Line, lineText, type Room } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { Approval, Enforcement } from '@parley/protocol'
import { describeQuestion, fileWords } from '@parley/protocol/question'
import { renderDiff } from '../text/diff-rows.ts'
import { wrapLine, wrapLines, wrapMarked } from '../text/fit-rows.ts'
import { beside, gutterCells, indented } from '../text/gutter.ts'
import { contextRows } from './approval-context.ts'

/** Returns a complete approval for the transcript, however long. */
export function wholeApproval(
  asked: { readonly approval: Approval; readonly enforcement: Enforcement },
  room: Room,
): readonly Line[] {
  const { approval } = asked
  return [
    headRow(approval, room),
    ...indented([...wholeTitle(approval, beside(room)), ...approvalDetail(approval, beside(room))]),
    ...warningRows(approval, room),
    ...indented(contextRows({ ...asked, homeFolder: '' }, beside(room), 'named')),
    ...alwaysRows(approval, room),
  ]
}

/** Returns the question in a rule across the window, with its place in the queue at the end: `1 of 3`. */
export function headRow(approval: Approval, room: Room, waiting = 1): Line {
  const tone = dangerWords(approval) === null ? 'warn' : 'bad'
  const question = describeQuestion(approval, 'none').asks
  const place = waiting > 1 ? ` 1 of ${waiting}` : ''
  const ends = [`━━ ${question} `, place === '' ? '' : `${place} ━━`] as const
  const left = room.columns - cellWidth(ends.join(''), room.ambiguous)
  const ruled = ends.join('━'.repeat(Math.max(0, Math.floor(left / cellWidth('━', room.ambiguous)))))
  return truncateLine([{ text: left < 0 ? question + place : ruled, bold: true, tone }], room)
}

/** Returns the title, unless the detail repeats it (a command's first line, a patch's files). */
export function wholeTitle(approval: Approval, room: Room): readonly Line[] {
  const { title } = describeQuestion(approval, 'none')
  return title === null ? [] : wrapLine([{ text: title, bold: true }], room)
}

/** Returns the warnings, the danger first, each with a sign since colour alone may be missed. */
export function warningRows(approval: Approval, room: Room): readonly Line[] {
  const danger = dangerWords(approval)
  const warnings = [...(danger === null ? [] : [shownLine(danger)]), ...describeQuestion(approval, 'none').warnings]
  const lines = warnings.map((text): Line => [{ text: `⚠ ${text}`, tone: 'bad', bold: true }])
  return indented(lines.flatMap((line) => wrapLine(line, beside(room))))
}

/** Returns the exact lines that a permanent yes would add, and the file. */
export function ruleRows({ always }: Approval, homeFolder: string, room: Room): readonly Line[] {
  if (always === undefined) return []
  const lines = revealedLines(always.rule.trim())
  const file = shownLine(shortPath(always.file, homeFolder))
  return [
    ...wrapLine([{ text: `adds to ${file}:`, tone: 'muted' }], room),
    ...indented(wrapLines(lines, { ...beside(room), mode: 'anywhere' })),
  ]
}

/** Returns the calls that a permanent yes would allow, where offered, with its exact rule. */
function alwaysRows(approval: Approval, room: Room): readonly Line[] {
  const choice = choicesFor(approval).find(({ answer }) => answer === 'remember')
  if (choice === undefined) return []
  const text = `${choice.key}  ${alwaysWords(approval)}`
  return indented([...wrapLine([{ text, tone: 'muted' }], beside(room)), ...ruleRows(approval, '', beside(room))])
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

/** Returns the text of a command, long lines marked where they go on, or the diffs of a patch. */
export function askedText({ kind, detail, files }: Detailed, room: Room): readonly Line[] {
  const text = detail.replace(/\n+$/, '')
  if (text === '') return []
  if (kind === 'patch') return renderDiff(askedDiff({ detail, files: files ?? [] }), room)
  if (kind === 'plan') return planRows(text, room)
  return revealedLines(text).flatMap((line) => wrapMarked(line, room, wordsFit(line, room) ? 'word' : 'anywhere'))
}

/** Returns a plan with the further rows of a step below its text. */
function planRows(text: string, room: Room): readonly Line[] {
  return showHidden(collapseBlanks(text))
    .split('\n')
    .flatMap((line) => wrapLine([{ text: line }], { ...room, hang: /^ *(?:\d+\.|-) /.exec(line)?.[0].length ?? 0 }))
}

/** Returns the text of a patch with ever less context around its changes, for windows too low for all; else the text. */
export function lessText(approval: Detailed, room: Room): readonly (readonly Line[])[] {
  const { kind, detail, files = [] } = approval
  if (kind !== 'patch') return [askedText(approval, room)]
  return [1, 0].map((most) => renderDiff(withContext(askedDiff({ detail, files }), most), room))
}

function askedDiff({ detail, files }: Required<Pick<Approval, 'detail' | 'files'>>): readonly DiffLine[] {
  return withoutListedNames(parseDiff(showHidden(detail.replace(/\n+$/, ''))), files)
}

/** Returns true if each word has a row; a longer one fills the rows, since moving it would leave them empty. */
function wordsFit(line: Line, room: Room): boolean {
  return lineText(line)
    .split(' ')
    .every((word) => cellWidth(word, room.ambiguous) <= room.columns - gutterCells)
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
