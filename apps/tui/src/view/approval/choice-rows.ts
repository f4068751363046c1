import type { Approval } from '@parley/protocol'
import { answerForText, type Choice, choicesFor, type HeldKey, isYes, type Refusal } from '../../ui/answers.ts'
import { truncateLine, wrapLine } from '../text/fit-rows.ts'
import { beside, indented, marked } from '../text/gutter.ts'
import { type Line, lineText, type Room, type Span } from '../text/span.ts'
import { cellWidth } from '../text/width.ts'
import { alwaysLabel } from './whole-approval.ts'

/**
 * Current meaning of keys. `typing`: they edit the text. `lost`: no server takes an answer. `view`, `watch`: this
 * client cannot answer.
 */
export type AnswerMode = 'answer' | 'note' | 'form' | 'typing' | 'lost' | 'view' | 'watch'

interface Choosing {
  readonly approval: Approval
  readonly mode: AnswerMode
  readonly heldKey: HeldKey | null
  readonly reached: Answer | null
  readonly isSeen: boolean
}

type Answer = Choice['answer']

interface Around {
  /** True for one answer per row. */
  readonly isListed: boolean
  /** True while a yes does not count. */
  readonly isUnseen: boolean
}

/** Returns answers with their keys and why the last key was rejected, or what keys do instead. */
export function choiceRows(choosing: Choosing, room: Room, { isListed, isUnseen }: Around): readonly Line[] {
  const { mode } = choosing
  const refused = refusedRows(choosing, room)
  if (mode !== 'answer') return [...indented(wrapLine([instead[mode]], beside(room))), ...refused]
  const rows = isListed
    ? listed(choosing, room, isUnseen)
    : indented(wrapLine(inline(choosing, isUnseen), beside(room)))
  const unseen = isUnseen && refused.length === 0 ? indented(wrapLine([unseenYes], beside(room))) : []
  return [...rows, ...unseen, ...refused]
}

/** Returns the answers in one row, in as many words as fit. */
export function keyRow(choosing: Choosing, room: Room): Line {
  const { mode, isSeen } = choosing
  const refusal = refusalOf(choosing)
  const chosen = choicesFor(choosing.approval).find(({ answer }) => answer === chosenOf(choosing))
  if (mode !== 'answer') return truncateLine([instead[mode]], room)
  if (refusal !== null)
    return firstThatFits([[refused(choosing, refusals[refusal])], [warning(briefRefusals[refusal])]], room)
  if (chosen !== undefined)
    return truncateLine([mark, ...choiceLine(choosing, chosen, { isUnseen: false, isBrief: false })], room)
  const keys: readonly Line[] = isSeen
    ? [inline(choosing, false), [{ text: 'y yes · n no · Esc' }]]
    : [
        [unseenYes, { text: ' · n no · Esc stops' }],
        [{ text: 'v all, then yes · n no · Esc' }],
        [{ text: 'v all · n no · Esc' }],
      ]
  return firstThatFits(keys, room)
}

function firstThatFits(lines: readonly Line[], room: Room): Line {
  const fits = lines.find((line) => cellWidth(lineText(line), room.ambiguous) <= room.columns)
  return fits ?? truncateLine(lines.at(-1) ?? [], room)
}

/** Returns the answer chosen by a letter or highlighted by an arrow. */
function chosenOf({ approval, heldKey, reached }: Choosing): string | null {
  if (heldKey === null || heldKey.refusal !== null || heldKey.approvalId !== approval.id) return reached
  return answerForText(heldKey.text, approval)
}

function refusalOf({ approval, heldKey }: Choosing): Refusal | null {
  return heldKey?.approvalId === approval.id ? heldKey.refusal : null
}

/** Returns a row that explains why a key was not taken. */
function refusedRows(choosing: Choosing, room: Room): readonly Line[] {
  const refusal = refusalOf(choosing)
  return refusal === null ? [] : indented(wrapLine([refused(choosing, refusals[refusal])], beside(room)))
}

function refused({ heldKey }: Choosing, why: string): Span {
  const key = heldKey === null || heldKey.text === '' ? 'Enter' : `“${heldKey.text}”`
  return warning(`${key} was not taken: ${why}`)
}

function warning(text: string): Span {
  return { text, tone: 'warn', bold: true }
}

const refusals: Readonly<Record<Refusal, string>> = {
  tooEarly: 'the question had just appeared. Press it again',
  readOnly: 'this window is read-only',
  unseen: 'not all of this has been on the screen. v shows it, then press it again',
}

const briefRefusals: Readonly<Record<Refusal, string>> = {
  tooEarly: 'too early: again',
  readOnly: 'read-only',
  unseen: 'v first, then yes',
}

const unseenYes: Span = { text: 'A yes counts once all of this has been on the screen: v shows it', tone: 'warn' }

const instead: Readonly<Record<Exclude<AnswerMode, 'answer'>, Span>> = {
  note: { text: 'No. What should it do instead? Enter sends it, Esc goes back', bold: true },
  typing: { text: 'Keys go to your text. Send it or clear it (Ctrl+C) to answer', tone: 'warn' },
  form: { text: 'Enter accepts the field, Esc goes back', bold: true },
  watch: { text: 'This window only watches. Another window answers', tone: 'warn' },
  view: { text: 'This is a read-only view. The window with the conversation answers', tone: 'warn' },
  lost: { text: 'You can answer when the server runs again', tone: 'warn' },
}

function listed(choosing: Choosing, room: Room, isUnseen: boolean): readonly Line[] {
  const chosen = chosenOf(choosing)
  return choicesFor(choosing.approval).flatMap((choice) => {
    const rows = wrapLine(choiceLine(choosing, choice, { isUnseen, isBrief: false }), { ...beside(room), hang: 2 })
    return choice.answer === chosen ? marked(mark, rows) : indented(rows)
  })
}

function inline(choosing: Choosing, isUnseen: boolean): Line {
  const chosen = chosenOf(choosing)
  return choicesFor(choosing.approval).flatMap((choice, index) => [
    ...(index === 0 ? [] : [dot]),
    ...(choice.answer === chosen ? [mark] : []),
    ...choiceLine(choosing, choice, { isUnseen, isBrief: true }),
  ])
}

const mark: Span = { text: '▸', tone: 'accent', bold: true }
const dot: Span = { text: ' · ', tone: 'muted' }

const callWords: Readonly<Record<Answer, string>> = {
  yes: 'yes',
  yesForConversation: 'yes, for this conversation',
  yesAlways: 'yes, and always, in every folder, with or without a sandbox',
  note: 'no, and tell it what to do instead',
  stop: 'stop',
}

function formWords({ form }: Approval): Readonly<Record<Answer, string>> {
  const isPlain = (form?.fields.length ?? 0) === 0
  return { ...callWords, yes: isPlain ? 'yes' : 'answer it', note: isPlain ? 'no' : 'do not answer' }
}

const letters: Readonly<Partial<Record<Answer, string>>> = { yes: 'y', note: 'n', stop: 'esc' }

interface Wording {
  readonly isUnseen: boolean
  /** True for fewer words, beside the other answers. */
  readonly isBrief: boolean
}

function choiceLine({ approval }: Choosing, { digit, answer }: Choice, { isUnseen, isBrief }: Wording): Line {
  const words = wordsFor(approval, isBrief)[answer]
  const text = answer === 'yesAlways' ? ` ${words}: ${alwaysLabel(approval)}` : ` ${words}`
  const letter = letters[answer]
  const key: readonly Span[] = letter === undefined ? [] : [{ text: ` (${letter})`, tone: 'muted' }]
  if (isUnseen && isYes(answer)) return [{ text: `${digit}${text}`, tone: 'muted' }, ...key]
  return [{ text: String(digit), bold: true, tone: 'accent' }, { text }, ...key]
}

function wordsFor(approval: Approval, isBrief: boolean): Readonly<Record<Answer, string>> {
  if (approval.kind === 'elicitation') return formWords(approval)
  return isBrief ? { ...callWords, note: 'no' } : callWords
}
