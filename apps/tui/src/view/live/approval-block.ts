import type { Approval, Enforcement } from '@parley/protocol'
import type { Choice } from '../../ui/approvals.ts'
import type { FilledForm } from '../../ui/form.ts'
import type { HeldKey } from '../../ui/held-key.ts'
import { askedFiles, askedText } from '../approval-detail.ts'
import { clipRows, count } from '../clip-rows.ts'
import { beside, indented } from '../gutter.ts'
import type { Line, Room, Span } from '../span.ts'
import { truncateLine } from '../truncate.ts'
import { contextRows, cutContext, type RuleText } from './approval-context.ts'
import { deceptionRows, headRows, wholeTitle } from './approval-parts.ts'
import { type AnswerMode, choiceRows, keyRow } from './choice-rows.ts'
import { fieldRows } from './form-rows.ts'

export interface Asking {
  readonly approval: Approval
  /** Approvals that wait, this one included. */
  readonly waiting: number
  readonly homeFolder: string
  /** What enforces limits where it would run. */
  readonly enforcement: Enforcement
  /** What keys do now. */
  readonly mode: AnswerMode
  /** Of a question with fields that is being answered. */
  readonly form: FilledForm | null
  /** The last key, if it was meant as an answer. */
  readonly heldKey: HeldKey | null
  /** The answer that an arrow has reached. */
  readonly reached: Choice['answer'] | null
  /** All of what a yes would allow has been on the screen. */
  readonly isSeen: boolean
  readonly maxRows: number
}

export interface ApprovalBlock {
  readonly rows: readonly Line[]
  /** All of what a yes would allow is in these rows. */
  readonly isWhole: boolean
}

/** Ways to show all of what a yes is for; they differ in what may be left out. */
interface Layout {
  /** Blank rows between the parts. */
  readonly isSpaced: boolean
  /** Answers one below the other. */
  readonly isListed: boolean
  readonly rule: RuleText
}

/** From the one that reads best to the one that takes the fewest rows. */
const layouts: readonly Layout[] = [
  { isSpaced: true, isListed: true, rule: 'whole' },
  { isSpaced: false, isListed: true, rule: 'whole' },
  { isSpaced: false, isListed: true, rule: 'oneRow' },
  { isSpaced: false, isListed: false, rule: 'whole' },
  { isSpaced: false, isListed: false, rule: 'oneRow' },
  { isSpaced: false, isListed: false, rule: 'none' },
]

/** With less room the answers stand beside each other, so that what came before stays in sight. */
const listedFromRows = 14

/** Its beginning, how much is between, and its end: whatever else there is to say, the last words of it are seen. */
const leastDetail = 3

/** The parts of a question that are the same in every layout. */
interface Parts {
  readonly head: readonly Line[]
  readonly title: readonly Line[]
  readonly files: readonly Line[]
  readonly text: readonly Line[]
  readonly form: readonly Line[]
  readonly doubts: readonly Line[]
}

/**
 * The question as the last block of the live zone. It is whole when every row is there of the title, the detail, the
 * folder, the limits, the variables, the warnings and the model's reason. Only the rule's text may be missing then.
 */
export function approvalBlock(asking: Asking, room: Room): ApprovalBlock {
  const { approval, maxRows } = asking
  const parts: Parts = {
    head: waitingHead(asking, room),
    title: wholeTitle(approval, beside(room)),
    files: askedFiles(approval, beside(room)),
    text: askedText(approval, beside(room)),
    form: formRows(asking, room),
    doubts: deceptionRows(approval, room),
  }
  for (const layout of layouts) {
    if (layout.isListed && maxRows < listedFromRows) continue
    const rows = wholeRows(asking, parts, { layout, room })
    if (rows.length <= maxRows) return { rows, isWhole: true }
  }
  const folded = foldedRows(asking, parts, room)
  const isTooTall = folded.length > maxRows && asking.mode !== 'form'
  return { rows: isTooTall ? smallBlock(asking, [...parts.files, ...parts.text], room) : folded, isWhole: false }
}

function wholeRows(
  asking: Asking,
  { head, title, files, text, form, doubts }: Parts,
  { layout: { isSpaced, isListed, rule }, room }: { readonly layout: Layout; readonly room: Room },
): readonly Line[] {
  const gap: readonly Line[] = isSpaced ? [[]] : []
  const context = contextRows(asking, beside(room), rule)
  const answers = choiceRows(asking, room, { isListed, isUnseen: false })
  const asked = indented([...title, ...files, ...text])
  return [...head, ...asked, ...form, ...gap, ...doubts, ...indented(context), ...gap, ...answers]
}

/** What fits of it. No yes counts yet, unless all of it has been on the screen before. */
function foldedRows(asking: Asking, { head, title, files, text, form, doubts }: Parts, room: Room): readonly Line[] {
  const { approval, maxRows } = asking
  const isUnseen = !asking.isSeen && asking.mode === 'answer'
  const titled = clipRows(title, { head: 2, tail: 1 })
  const context = indented(cutContext(asking, beside(room)))
  const answers = choiceRows(asking, room, { isListed: false, isUnseen })
  const around = [...form, ...doubts, ...context, ...answers]
  const detailRoom = Math.max(leastDetail, maxRows - head.length - titled.length - around.length)
  // The names of all files go before the lines in them.
  const kept = files.length + leastDetail <= detailRoom ? files : []
  const rest = kept.length > 0 ? text : [...files, ...text]
  const shown = [...kept, ...clipped(rest, detailRoom - kept.length, approval)]
  return [...head, ...indented([...titled, ...shown]), ...around]
}

/** Where there is no room for more: the question, what fits of the command and its limits, and the keys. Never all of it. */
function smallBlock(asking: Asking, detail: readonly Line[], room: Room): readonly Line[] {
  const { maxRows } = asking
  const inner = beside(room)
  const left = Math.max(0, maxRows - 1)
  const head = left > 1 ? waitingHead(asking, room).slice(0, 1) : []
  const shown = clipTo(detail, left - head.length, inner)
  const about = clipTo(cutContext(asking, inner), left - head.length - shown.length, inner)
  return [...head, ...indented([...shown, ...about, keyRow(asking, inner)])]
}

/** Its first rows, with a mark where it goes on. */
function clipTo(rows: readonly Line[], limit: number, room: Room): readonly Line[] {
  if (rows.length <= limit) return rows
  const kept = rows.slice(0, Math.max(0, limit))
  const last = kept.at(-1)
  return last === undefined ? [] : [...kept.slice(0, -1), truncateLine([...last, { text: '…' }], room)]
}

function waitingHead({ approval, waiting }: Asking, room: Room): readonly Line[] {
  const more: readonly Span[] = waiting > 1 ? [{ text: `  1 of ${waiting} that wait`, tone: 'muted' }] : []
  return headRows(approval, room, more)
}

function clipped(detail: readonly Line[], limit: number, { detail: text }: Approval): readonly Line[] {
  if (detail.length <= limit) return detail
  const kept = Math.max(2, limit - 1)
  const head = Math.ceil(kept / 2)
  return clipRows(detail, {
    head,
    tail: kept - head,
    hint: ` · v prints all ${count(text.length)} characters`,
  })
}

function formRows({ approval, form, maxRows }: Asking, room: Room): readonly Line[] {
  const fields = approval.form?.fields ?? []
  if (fields.length === 0) return []
  return indented(fieldRows({ fields, form, maxRows: Math.floor(maxRows / 2) }, beside(room)))
}
