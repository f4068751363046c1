import { choiceWords } from '@parley/presentation/question/answer-words'
import {
  type AnswerChoice,
  answerForText,
  type ChosenAnswer,
  choicesFor,
  type HeldKey,
  isYes,
  type Refusal,
} from '@parley/presentation/question/answers'
import { shownLine } from '@parley/presentation/text/control-characters'
import { type Line, lineText, type Room, type Span } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { Approval } from '@parley/protocol'
import { reachOfAlways, runsNothing } from '@parley/protocol/question'
import { wrapLine } from '../text/fit-rows.ts'
import { beside, indented, marked } from '../text/gutter.ts'
import { ruleRows } from './whole-approval.ts'

/**
 * Current meaning of keys. `remember`: they accept the rule that is shown. `typing`: they edit the text. `lost`: no
 * server takes an answer. `view`, `watch`, `reader`: this client cannot answer.
 */
export type AnswerMode = 'answer' | 'remember' | 'note' | 'form' | 'typing' | 'lost' | 'view' | 'watch' | 'reader'

interface Choosing {
  readonly approval: Approval
  readonly mode: AnswerMode
  readonly heldKey: HeldKey | null
  readonly reached: ChosenAnswer | null
  readonly isSeen: boolean
  readonly homeFolder: string
  /** True while the composer has text that the approval hides. */
  readonly hasDraft: boolean
  /** True where something can be written instead of an answer. */
  readonly mayWrite: boolean
}

interface ChoiceLayout {
  /** True for one answer per row. */
  readonly isListed: boolean
  /** True while a yes does not count. */
  readonly isUnseen: boolean
}

/** Returns answers with their keys and why the last key was rejected, or what keys do instead. */
export function choiceRows(choosing: Choosing, room: Room, { isListed, isUnseen }: ChoiceLayout): readonly Line[] {
  const { mode } = choosing
  const inner = beside(room)
  const refused = refusedRows(choosing, room)
  const unseen = isUnseen && refused.length === 0 ? indented(wrapLine([unseenYes], inner)) : []
  if (mode === 'remember') return [...indented(ruleChoice(choosing, inner, isUnseen)), ...unseen, ...refused]
  if (mode !== 'answer') return [...indented(wrapLine([insteadOf(choosing, mode)], inner)), ...refused]
  const rows = isListed
    ? [...listed(choosing, room, isUnseen), ...wrapLine(hint(choosing), { ...room, hang: 2 })]
    : indented(wrapLine([...inline(choosing, isUnseen), dot, ...otherKeys(choosing)], inner))
  return [...rows, ...unseen, ...refused]
}

/** Returns the rule with the keys that add it. */
function ruleChoice(choosing: Choosing, room: Room, isUnseen: boolean): readonly Line[] {
  const isChosen = chosenOf(choosing) === 'remember'
  const keys: Line = [
    ...(isChosen ? [mark] : []),
    key('r', isUnseen),
    { text: ' again or ' },
    key('Enter', isUnseen),
    { text: ' adds it and runs this' },
    dot,
    key('Esc', false),
    { text: ' goes back' },
  ]
  const { approval, homeFolder } = choosing
  return [
    ...ruleRows(approval, homeFolder, room),
    ...wrapLine([{ text: `It holds ${reachOfAlways(approval.kind)}.` }], room),
    ...wrapLine(keys, room),
  ]
}

/** Returns the answers in one row, in as many words as fit. */
export function keyRow(choosing: Choosing, room: Room): Line {
  const { mode, isSeen } = choosing
  const refusal = refusalOf(choosing)
  const chosen = choicesFor(choosing.approval).find(({ answer }) => answer === chosenOf(choosing))
  if (mode !== 'answer' && mode !== 'remember') return truncateLine([insteadOf(choosing, mode)], room)
  if (refusal !== null) return firstThatFits([[refused(choosing, refusal)], [warning(briefRefusals[refusal])]], room)
  if (chosen !== undefined)
    return truncateLine([mark, ...choiceLine(choosing, chosen, { isUnseen: false, isBrief: true })], room)
  if (mode === 'remember')
    return firstThatFits(isSeen ? [[{ text: 'r adds it · Esc back' }]] : [[{ text: 'v all · Esc back' }]], room)
  const keys: readonly Line[] = isSeen
    ? [
        [...inline(choosing, false), dot, ...otherKeys(choosing)],
        inline(choosing, false),
        [{ text: 'y yes · n no · Esc' }],
      ]
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
  return refusal === null ? [] : indented(wrapLine([refused(choosing, refusal)], beside(room)))
}

function refused({ heldKey }: Choosing, refusal: Refusal): Span {
  return warning(refusals[refusal](heldKey === null || heldKey.text === '' ? 'Enter' : shownLine(heldKey.text)))
}

function warning(text: string): Span {
  return { text, tone: 'warn', bold: true }
}

const refusals: Readonly<Record<Refusal, (key: string) => string>> = {
  tooEarly: (key) => `too early: press ${key} again`,
  readOnly: (key) => `${key} was not taken: this window is read-only`,
  unseen: (key) => `not all of this has been on the screen: press v, then ${key} again`,
  noAnswer: (key) => `${key === ' ' ? 'Space' : key} is no answer here: Tab writes a message`,
}

const briefRefusals: Readonly<Record<Refusal, string>> = {
  tooEarly: 'too early: again',
  readOnly: 'read-only',
  unseen: 'v first, then yes',
  noAnswer: 'Tab writes',
}

const unseenYes: Span = { text: 'A yes counts once all of this has been on the screen: v shows it', tone: 'warn' }

const instead: Readonly<Record<Exclude<AnswerMode, 'answer' | 'remember'>, Span>> = {
  note: { text: 'No. What should it do instead? Enter sends it, Esc goes back', bold: true },
  typing: { text: 'Keys go to your text. Esc goes back to the question', tone: 'warn' },
  form: { text: 'Enter accepts the field, Esc goes back', bold: true },
  watch: { text: 'This window only watches. Another window answers', tone: 'warn' },
  view: { text: 'This is a read-only view. The window with the conversation answers', tone: 'warn' },
  reader: { text: 'You may read this conversation, not answer. An owner can change that', tone: 'warn' },
  lost: { text: 'You can answer when the server runs again', tone: 'warn' },
}

function insteadOf({ approval }: Choosing, mode: keyof typeof instead): Span {
  if (mode !== 'note' || approval.kind !== 'plan') return instead[mode]
  return { text: 'Keep planning. What should change? Enter sends it, Esc goes back', bold: true }
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

/** Returns how to choose from the list, and the keys that answer nothing. */
function hint(choosing: Choosing): Line {
  return [{ text: '  the letter, or ↑↓ then Enter', tone: 'muted' }, dot, ...otherKeys(choosing)]
}

function otherKeys({ approval, hasDraft, mayWrite }: Choosing): Line {
  const why = runsNothing(approval.kind) ? '' : ' · w why'
  const write = mayWrite ? ` · Tab ${hasDraft ? 'to your text' : 'write a message'}` : ''
  return [{ text: `v all of it${why}${write}`, tone: 'muted' }]
}

interface Wording {
  readonly isUnseen: boolean
  /** True for fewer words, beside the other answers. */
  readonly isBrief: boolean
}

function choiceLine({ approval }: Choosing, { key: name, answer }: AnswerChoice, { isUnseen, isBrief }: Wording): Line {
  const isOff = isUnseen && isYes(answer)
  const { labels, noteHint } = choiceWords(approval, isBrief)
  const hint = answer === 'note' && noteHint !== '' ? `  (${noteHint})` : ''
  const text = `${isBrief ? ' ' : '  '}${labels[answer]}${hint}`
  return [key(name, isOff), isOff ? { text, tone: 'muted' } : { text }]
}

function key(name: string, isOff: boolean): Span {
  return isOff ? { text: name, tone: 'muted' } : { text: name, bold: true, tone: 'accent' }
}
