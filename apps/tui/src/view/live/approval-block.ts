import type { Approval, Enforcement } from '@parley/protocol'
import type { Choice } from '../../ui/approvals.ts'
import type { FilledForm } from '../../ui/form.ts'
import type { HeldKey } from '../../ui/held-key.ts'
import { askedFiles, askedText } from '../approval-detail.ts'
import { clipRows, count } from '../clip-rows.ts'
import { beside, indented } from '../gutter.ts'
import type { Line, Room, Span } from '../span.ts'
import { truncateLine } from '../truncate.ts'
import { approvalContext, wholeContext } from './approval-context.ts'
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

/** What an answer would allow: `files` rows of names come first. */
interface Detail {
  readonly rows: readonly Line[]
  readonly files: number
}

export interface ApprovalBlock {
  readonly rows: readonly Line[]
  /** All of what a yes would allow is in these rows. */
  readonly isWhole: boolean
}

/** The choices stand one below the other where there is this much room for the whole block. */
const roomyRows = 14

/** Its beginning, how much is between, and its end: whatever else there is to say, the last words of it are seen. */
const leastDetail = 3
const leastContext = 2

/** The question as the last block of the live zone: what exactly, where, why, by which rule, and the answers. */
export function approvalBlock(asking: Asking, room: Room): ApprovalBlock {
  const files = askedFiles(asking.approval, beside(room))
  const detail: Detail = { rows: [...files, ...askedText(asking.approval, beside(room))], files: files.length }
  const block = fullBlock(asking, detail, room)
  const isUnseen = !block.isWhole && !asking.isSeen && asking.mode === 'answer'
  // What says so takes rows of its own.
  const said = isUnseen ? fullBlock({ ...asking, isUnseen }, detail, room) : block
  if (said.rows.length <= asking.maxRows || asking.mode === 'form') return said
  return { rows: smallBlock(asking, detail.rows, room), isWhole: false }
}

function fullBlock(
  asking: Asking & { readonly isUnseen?: boolean },
  { rows: detail, files }: Detail,
  room: Room,
): ApprovalBlock {
  const { approval, maxRows, isUnseen = false } = asking
  const isRoomy = maxRows >= roomyRows
  const gap: readonly Line[] = isRoomy ? [[]] : []
  const head = waitingHead(asking, room)
  const title = wholeTitle(approval, room)
  const titled = clipRows(title, { head: 2, tail: 1 })
  const form = formRows(asking, room)
  const doubts = deceptionRows(approval, room)
  const answers = choiceRows(asking, room, { isRoomy, isUnseen })
  const taken = [head, titled, form, gap, doubts, answers].reduce((sum, rows) => sum + rows.length, 0)
  const least = Math.min(detail.length, leastDetail)
  const context = approvalContext(asking, beside(room))
  const about = fitted(context, Math.max(leastContext, maxRows - taken - least))
  const around = [...form, ...gap, ...doubts, ...indented(about), ...answers]
  const detailRoom = Math.max(least, maxRows - taken - about.length)
  // The names of all files go before the lines in them.
  const kept = files + leastDetail <= detailRoom ? detail.slice(0, files) : []
  const rest = detail.slice(kept.length)
  const restRoom = detailRoom - kept.length
  const shown = [...kept, ...(rest.length <= restRoom ? rest : clipped(rest, restRoom, approval))]
  const rows = [...head, ...titled, ...indented(shown), ...around]
  const isFolded = shown.length < detail.length || titled.length < title.length
  return { rows, isWhole: !isFolded && !hidesVariables(asking, about, room) && rows.length <= maxRows }
}

/** The variables that a command gets are a part of it. */
function hidesVariables(asking: Asking, about: readonly Line[], room: Room): boolean {
  const { env = {} } = asking.approval
  return Object.keys(env).length > 0 && about.length < wholeContext(asking, beside(room)).length
}

/** Where there is no room for more: the question, what fits of the command and its limits, and the keys. Never all of it. */
function smallBlock(asking: Asking, detail: readonly Line[], room: Room): readonly Line[] {
  const { maxRows } = asking
  const inner = beside(room)
  const left = Math.max(0, maxRows - 1)
  const head = left > 1 ? waitingHead(asking, room).slice(0, 1) : []
  const shown = clipTo(detail, left - head.length, inner)
  const about = clipTo(approvalContext(asking, inner), left - head.length - shown.length, inner)
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
  const kept = Math.max(2, limit - 1)
  const head = Math.ceil(kept / 2)
  return clipRows(detail, {
    head,
    tail: kept - head,
    hint: ` · v prints all ${count(text.length)} characters`,
  })
}

function fitted(context: readonly Line[], limit: number): readonly Line[] {
  return context.length <= limit ? context : clipRows(context, { head: Math.max(1, limit - 2), tail: 1 })
}

function formRows({ approval, form, maxRows }: Asking, room: Room): readonly Line[] {
  const fields = approval.form?.fields ?? []
  if (fields.length === 0) return []
  return indented(fieldRows({ fields, form, maxRows: Math.floor(maxRows / 2) }, beside(room)))
}
