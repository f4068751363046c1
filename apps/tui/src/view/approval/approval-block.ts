import type { AnswerChoice, HeldKey } from '@parley/presentation/question/answers'
import { count } from '@parley/presentation/text/formats'
import type { Line, Room } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import type { Approval, Enforcement } from '@parley/protocol'
import type { FilledForm } from '../../ui/state/composing.ts'
import { clipRows, hiddenRow } from '../text/fit-rows.ts'
import { beside, indented } from '../text/gutter.ts'
import { contextRows, limitsRow, oneRowContext, type RuleText } from './approval-context.ts'
import { type AnswerMode, choiceRows, keyRow } from './choice-rows.ts'
import { fieldRows } from './form-rows.ts'
import { askedFiles, askedText, headRow, lessText, warningRows, wholeTitle } from './whole-approval.ts'

export interface ApprovalScene {
  readonly approval: Approval
  /** Pending approvals, this one included. */
  readonly waiting: number
  readonly homeFolder: string
  /** True while the composer has text that the approval hides. */
  readonly hasDraft: boolean
  /** True where something can be written instead of an answer. */
  readonly mayWrite: boolean
  /** Enforcement of limits where the call would run. */
  readonly enforcement: Enforcement
  /** Current meaning of keys. */
  readonly mode: AnswerMode
  /** Form that is being filled in, for an elicitation with fields. */
  readonly form: FilledForm | null
  /** Last key, if it was meant as an answer. */
  readonly heldKey: HeldKey | null
  /** Answer highlighted by the arrow keys. */
  readonly reached: AnswerChoice['answer'] | null
  /** True if everything a yes would allow has been on the screen. */
  readonly isSeen: boolean
  readonly maxRows: number
}

export interface ApprovalBlock {
  readonly rows: readonly Line[]
  /** True if everything a yes would allow is in these rows. */
  readonly isWhole: boolean
}

/** Layout of a complete approval; each layout leaves out other parts. */
interface Layout {
  /** True for blank rows between the parts. */
  readonly isSpaced: boolean
  /** Answers one per row, as words in rows that wrap, or as keys in one row. */
  readonly answers: 'listed' | 'wrapped' | 'keys'
  readonly rule: RuleText
}

/** Layouts from the most readable to the smallest. */
const layouts: readonly Layout[] = [
  { isSpaced: true, answers: 'listed', rule: 'named' },
  { isSpaced: false, answers: 'listed', rule: 'named' },
  { isSpaced: false, answers: 'listed', rule: 'none' },
  { isSpaced: false, answers: 'wrapped', rule: 'named' },
  { isSpaced: false, answers: 'wrapped', rule: 'none' },
  { isSpaced: false, answers: 'keys', rule: 'none' },
]

/** Minimum rows for one answer per row; below it, answers share a row so that earlier work stays visible. */
const listedFromRows = 14

/** Minimum rows for the question above a command that does not fit; below it the command has its row. */
const headedFromRows = 6

/** Minimum rows of the detail: its beginning, the count of hidden rows, and its end. */
const leastDetail = 3

/** Parts of an approval that are the same in every layout. */
interface ApprovalRows {
  readonly head: readonly Line[]
  readonly title: readonly Line[]
  readonly files: readonly Line[]
  readonly text: readonly Line[]
  readonly form: readonly Line[]
  readonly doubts: readonly Line[]
}

/**
 * Returns the approval as the last block of the live zone. `isWhole` requires every row of title, detail, folder,
 * limits, variables, warnings, reason and the model's reason; only the name of the rule may be missing.
 */
export function approvalBlock(asking: ApprovalScene, room: Room): ApprovalBlock {
  const { approval, maxRows } = asking
  const parts: ApprovalRows = {
    head: waitingHead(asking, room),
    title: wholeTitle(approval, beside(room)),
    files: askedFiles(approval, beside(room)),
    text: askedText(approval, beside(room)),
    form: formRows(asking, room),
    doubts: warningRows(approval, room),
  }
  for (const layout of layouts) {
    if (layout.answers === 'listed' && maxRows < listedFromRows) continue
    // The rule to remember must be read whole, and a form has no keys in one row.
    if (layout.answers === 'keys' && asking.mode !== 'answer') continue
    const rows = wholeRows(asking, parts, { layout, room })
    if (rows.length <= maxRows) return { rows, isWhole: true }
  }
  const folded = foldedRows(asking, parts, room)
  const isTooTall = folded.length > maxRows && asking.mode !== 'form'
  return { rows: isTooTall ? smallBlock(asking, parts, room) : folded, isWhole: false }
}

function wholeRows(
  asking: ApprovalScene,
  { head, title, files, text, form, doubts }: ApprovalRows,
  { layout: { isSpaced, answers, rule }, room }: { readonly layout: Layout; readonly room: Room },
): readonly Line[] {
  const gap: readonly Line[] = isSpaced ? [[]] : []
  const context = contextRows(asking, beside(room), rule)
  const choices =
    answers === 'keys'
      ? indented([keyRow({ ...asking, isSeen: true }, beside(room))])
      : choiceRows(asking, room, { isListed: answers === 'listed', isUnseen: false })
  const asked = indented([...title, ...files, ...text])
  return [...head, ...asked, ...form, ...gap, ...doubts, ...indented(context), ...gap, ...choices]
}

/** Returns the rows that fit. A yes does not count yet, unless everything was on the screen before. */
function foldedRows(
  asking: ApprovalScene,
  { head, title, files, text, form, doubts }: ApprovalRows,
  room: Room,
): readonly Line[] {
  const { approval, maxRows } = asking
  const isUnseen = !asking.isSeen && (asking.mode === 'answer' || asking.mode === 'remember')
  const titled = clipRows(title, { head: 2, tail: 1 })
  const context = indented(oneRowContext(asking, beside(room)))
  const answers = choiceRows(asking, room, { isListed: false, isUnseen })
  const fixed = [...form, ...doubts, ...context, ...answers]
  const detailRoom = Math.max(leastDetail, maxRows - head.length - titled.length - fixed.length)
  // The names of all files take precedence over their lines.
  const kept = files.length + leastDetail <= detailRoom ? files : []
  const listed = kept.length > 0 ? [] : files
  const shown = [...kept, ...clipped({ listed, text }, { limit: detailRoom - kept.length, approval, room })]
  return [...head, ...indented([...titled, ...shown]), ...fixed]
}

/**
 * Returns the smallest form, never complete: from three rows on the command, the limits, the warnings and the keys,
 * then more of the command, then the question.
 */
function smallBlock(asking: ApprovalScene, { files, text, doubts }: ApprovalRows, room: Room): readonly Line[] {
  const inner = beside(room)
  const keys = smallKeys(asking, room)
  const hasHead = asking.maxRows >= headedFromRows
  const left = Math.max(0, asking.maxRows - keys.length - (hasHead ? 1 : 0))
  const fewest = lessText(asking.approval, inner).at(-1) ?? text
  const detail = [...files, ...fewest]
  const about = left < 2 ? [] : indented(smallContext(asking, inner, left - doubts.length - detail.length))
  const warnings = doubts.slice(0, Math.max(0, left - about.length - 1))
  const shown = clipTo(detail, left - about.length - warnings.length, inner)
  const isRoomy = shown.length + about.length + warnings.length < left
  const head = hasHead || isRoomy ? waitingHead(asking, room) : []
  return [...head, ...indented(shown), ...warnings, ...about, ...keys]
}

/** Returns all keys if they leave most of the window, else the main ones in one row. */
function smallKeys(asking: ApprovalScene, room: Room): readonly Line[] {
  const all = choiceRows(asking, room, { isListed: false, isUnseen: !asking.isSeen })
  return all.length * 3 <= asking.maxRows ? all : indented([keyRow(asking, beside(room))])
}

/** Returns the context if it fits beside the whole command, else the limits alone. */
function smallContext(asking: ApprovalScene, room: Room, maxRows: number): readonly Line[] {
  const context = oneRowContext(asking, room)
  if (context.length <= maxRows) return context
  return limitsRow(asking, room)
}

/** Returns the first rows, with an ellipsis where more follow. */
function clipTo(rows: readonly Line[], limit: number, room: Room): readonly Line[] {
  if (rows.length <= limit) return rows
  const kept = rows.slice(0, Math.max(0, limit))
  const last = kept.at(-1)
  return last === undefined ? [] : [...kept.slice(0, -1), truncateLine([...last, { text: '…' }], room)]
}

function waitingHead({ approval, waiting }: ApprovalScene, room: Room): readonly Line[] {
  return [headRow(approval, room, waiting)]
}

/** Returns the detail in so many rows: a patch loses its context before its changes, and its middle last. */
function clipped(
  { listed, text }: { readonly listed: readonly Line[]; readonly text: readonly Line[] },
  { limit, approval, room }: { readonly limit: number; readonly approval: Approval; readonly room: Room },
): readonly Line[] {
  const whole = listed.length + text.length
  if (whole <= limit) return [...listed, ...text]
  const hint = ` · v prints all ${count(approval.detail.length)} characters`
  const less = lessText(approval, beside(room)).map((rows) => [...listed, ...rows])
  const fitting = less.find((rows) => rows.length < limit && rows.length < whole)
  if (fitting !== undefined) return [...fitting, hiddenRow(whole - fitting.length, hint)]
  const rows = less.at(-1) ?? [...listed, ...text]
  const kept = Math.max(2, limit - 1)
  const head = Math.ceil(kept / 2)
  return clipRows(rows, { head, tail: kept - head, hint, alsoHidden: whole - rows.length })
}

function formRows({ approval, form, maxRows }: ApprovalScene, room: Room): readonly Line[] {
  const fields = approval.kind === 'plan' ? [] : (approval.form?.fields ?? [])
  if (fields.length === 0) return []
  return indented(fieldRows({ fields, form, maxRows: Math.floor(maxRows / 2) }, beside(room)))
}
