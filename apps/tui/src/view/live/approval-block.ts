import type { Approval, ApprovalKind, SandboxTier } from '@parley/protocol'
import { choicesFor } from '../../ui/approvals.ts'
import type { FilledForm } from '../../ui/form.ts'
import type { RefusedKey } from '../../ui/ui-state.ts'
import { askedFiles, askedText, deceptions } from '../approval-detail.ts'
import { clipRows, count } from '../clip-rows.ts'
import { collapseBlanks } from '../collapse-blanks.ts'
import { beside, indented, marked } from '../gutter.ts'
import { showHidden } from '../neutralise.ts'
import type { Line, Room, Span } from '../span.ts'
import { wrapLine } from '../wrap.ts'
import { approvalContext } from './approval-context.ts'
import { fieldRows } from './form-rows.ts'

/**
 * `typing`: keys belong to the text that is being written. `lost`: nobody is there to take an
 * answer. `view` and `watch`: this window cannot answer.
 */
export type AnswerMode = 'answer' | 'note' | 'form' | 'typing' | 'lost' | 'view' | 'watch'

export interface Asking {
  readonly approval: Approval
  /** Approvals that wait, this one included. */
  readonly waiting: number
  readonly homeFolder: string
  /** What enforces limits where it would run. */
  readonly tier: SandboxTier
  /** What keys do now. */
  readonly mode: AnswerMode
  /** Of a question with fields that is being answered. */
  readonly form: FilledForm | null
  /** The last key, if it was meant as an answer and was not taken. */
  readonly refusedKey: RefusedKey | null
  readonly maxRows: number
}

const questions: Readonly<Record<ApprovalKind, string>> = {
  command: 'Run this command?',
  patch: 'Make this change?',
  escalation: 'Run this outside the sandbox?',
  network: 'Allow this to use the network?',
  mcpTool: 'Allow this call?',
  read: 'Read this outside the allowed folders?',
  elicitation: 'A tool server asks you:',
}

/** The choices stand one below the other where there is this much room for the whole block. */
const roomyRows = 14

/** Its beginning, how much is between, and its end: whatever else there is to say, the last words of it are seen. */
const leastDetail = 3
const leastContext = 2

/** The question as the last block of the live zone: what exactly, where, why, by which rule, and the answers. */
export function approvalBlock(asking: Asking, room: Room): readonly Line[] {
  const { approval, maxRows } = asking
  const gap: readonly Line[] = maxRows >= roomyRows ? [[]] : []
  const files = askedFiles(approval, beside(room))
  const detail = [...files, ...askedText(approval, beside(room))]
  const head = headRows(asking, room)
  const titled = titleRows(approval, room)
  const form = formRows(asking, room)
  const doubts = deceptionRows(asking, room)
  const answers = [...choiceRows(asking, room), ...refusedRows(asking, room)]
  const taken = [head, titled, form, gap, doubts, answers].reduce((sum, rows) => sum + rows.length, 0)
  const least = Math.min(detail.length, leastDetail)
  const context = approvalContext(asking, beside(room))
  const about = fitted(context, Math.max(leastContext, maxRows - taken - least))
  const around = [...form, ...gap, ...doubts, ...indented(about), ...answers]
  const detailRoom = Math.max(least, maxRows - taken - about.length)
  // The names of all files go before the lines in them.
  const kept = files.length + leastDetail <= detailRoom ? files : []
  const rest = detail.slice(kept.length)
  const restRoom = detailRoom - kept.length
  const shown = rest.length <= restRoom ? rest : clipped(rest, restRoom, approval)
  return [...head, ...titled, ...indented([...kept, ...shown]), ...around]
}

function headRows({ approval, waiting }: Asking, room: Room): readonly Line[] {
  const more: readonly Span[] = waiting > 1 ? [{ text: `  1 of ${waiting} that wait`, tone: 'muted' }] : []
  const question: Line = [{ text: questions[approval.kind], bold: true, tone: 'warn' }, ...more]
  return marked({ text: '?', tone: 'warn', bold: true }, wrapLine(question, beside(room)))
}

/** A command's title is its first line, which the detail shows anyway. */
function titleRows({ title, detail }: Approval, room: Room): readonly Line[] {
  if (detail.startsWith(title)) return []
  const line: Line = [{ text: showHidden(collapseBlanks(title)).replaceAll('\n', ' '), bold: true }]
  return indented(clipRows(wrapLine(line, beside(room)), { head: 2, tail: 1 }))
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

/** Said before anything else about it, and not by colour alone. */
function deceptionRows({ approval }: Asking, room: Room): readonly Line[] {
  const lines = deceptions(approval).map((text): Line => [{ text: `! ${text}`, tone: 'bad', bold: true }])
  return indented(lines.flatMap((line) => wrapLine(line, beside(room))))
}

function formRows({ approval, form, maxRows }: Asking, room: Room): readonly Line[] {
  const fields = approval.form?.fields ?? []
  if (fields.length === 0) return []
  return indented(fieldRows({ fields, form, maxRows: Math.floor(maxRows / 2) }, beside(room)))
}

/** A key that was not taken is said to be none. */
function refusedRows({ approval, refusedKey }: Asking, room: Room): readonly Line[] {
  if (refusedKey === null || refusedKey.approvalId !== approval.id) return []
  const text = `“${refusedKey.text}” was not taken: ${refusals[refusedKey.why]}`
  return indented(wrapLine([{ text, tone: 'warn', bold: true }], beside(room)))
}

const refusals: Readonly<Record<RefusedKey['why'], string>> = {
  tooEarly: 'it came before this could be read. Press it again',
  readOnly: 'this window is read-only',
}

const instead: Readonly<Record<Exclude<AnswerMode, 'answer'>, Span>> = {
  note: { text: 'No. What should it do instead? Enter sends it, Esc goes back', bold: true },
  typing: { text: 'Keys go to your text. Send it or clear it (Ctrl+C) to answer', tone: 'warn' },
  form: { text: 'Enter takes it and goes on, Esc goes back', bold: true },
  watch: { text: 'This window only watches: another one answers', tone: 'warn' },
  view: { text: 'This is a view: it is answered where the conversation is open', tone: 'warn' },
  lost: { text: 'It can be answered when the server runs again', tone: 'warn' },
}

function choiceRows({ approval, mode, maxRows }: Asking, room: Room): readonly Line[] {
  const isRoomy = maxRows >= roomyRows
  const gap: readonly Line[] = isRoomy ? [[]] : []
  if (mode !== 'answer') return [...gap, ...indented(wrapLine([instead[mode]], beside(room)))]
  const words = approval.kind === 'elicitation' ? formWords(approval) : callWords
  const choices = choicesFor(approval).map(({ digit, answer }) =>
    choice(digit, `${words[answer]}${answer === 'yesAlways' ? `: ${alwaysLabel(approval)}` : ''}`, letters[answer]),
  )
  if (isRoomy) return [...gap, ...indented(choices.flatMap((line) => wrapLine(line, { ...beside(room), hang: 2 })))]
  const inline = choices.flatMap((spans, index) => (index === 0 ? spans : [dot, ...spans]))
  return indented(wrapLine(inline, beside(room)))
}

type Answer = ReturnType<typeof choicesFor>[number]['answer']

const callWords: Readonly<Record<Answer, string>> = {
  yes: 'yes',
  yesForConversation: 'yes, for this conversation',
  yesAlways: 'yes, and always, in every folder, with or without a sandbox',
  note: 'no, and tell it what to do instead',
  stop: 'stop',
}

/** The words that the key allows from then on. */
function alwaysLabel({ always }: Approval): string {
  return showHidden(always?.label ?? '').replaceAll('\n', ' ')
}

function formWords({ form }: Approval): Readonly<Record<Answer, string>> {
  const isPlain = (form?.fields.length ?? 0) === 0
  return { ...callWords, yes: isPlain ? 'yes' : 'answer it', note: isPlain ? 'no' : 'do not answer' }
}

const letters: Readonly<Partial<Record<Answer, string>>> = { yes: 'y', note: 'n', stop: 'esc' }

const dot: Span = { text: ' · ', tone: 'muted' }

function choice(digit: number, words: string, letter?: string): Line {
  const key: readonly Span[] = letter === undefined ? [] : [{ text: ` (${letter})`, tone: 'muted' }]
  return [{ text: String(digit), bold: true, tone: 'accent' }, { text: ` ${words}` }, ...key]
}
