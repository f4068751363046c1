import type { Approval, ApprovalKind } from '@parley/protocol'
import { offers } from '../../ui/approvals.ts'
import { approvalDetail } from '../approval-detail.ts'
import { clipRows } from '../clip-rows.ts'
import { beside, indented, marked } from '../gutter.ts'
import { showHidden } from '../neutralise.ts'
import { shortPath } from '../short-path.ts'
import type { Line, Room, Span } from '../span.ts'
import { wrapLine } from '../wrap.ts'

/**
 * `typing`: keys belong to the text that is being written. `lost`: nobody is there to take an
 * answer. `view`: this window cannot answer.
 */
export type AnswerMode = 'answer' | 'note' | 'typing' | 'lost' | 'view'

export interface Asking {
  readonly approval: Approval
  /** Approvals that wait, this one included. */
  readonly waiting: number
  readonly homeFolder: string
  /** What keys do now. */
  readonly mode: AnswerMode
  readonly maxRows: number
}

const questions: Readonly<Record<ApprovalKind, string>> = {
  command: 'Run this command?',
  patch: 'Make this change?',
  escalation: 'Run this outside the sandbox?',
  network: 'Allow this to use the network?',
  mcpTool: 'Allow this call?',
  read: 'Read this outside the allowed folders?',
}

/** The choices stand one below the other where there is this much room for the whole block. */
const roomyRows = 14

/** The question as the last block of the live zone: what exactly, where, why, by which rule, and the answers. */
export function approvalBlock(asking: Asking, room: Room): readonly Line[] {
  const { approval, maxRows } = asking
  const gap: readonly Line[] = maxRows >= roomyRows ? [[]] : []
  const around = [...gap, ...contextRows(asking, room), ...choiceRows(asking, room)]
  const head = headRows(asking, room)
  const titled = titleRows(approval, room)
  const detailRoom = Math.max(1, maxRows - head.length - around.length - titled.length)
  const detail = approvalDetail(approval, beside(room))
  const shown = detail.length <= detailRoom ? detail : clipped(detail, detailRoom)
  return [...head, ...titled, ...indented(shown), ...around]
}

function headRows({ approval, waiting }: Asking, room: Room): readonly Line[] {
  const more: readonly Span[] = waiting > 1 ? [{ text: `  1 of ${waiting} that wait`, tone: 'muted' }] : []
  const question: Line = [{ text: questions[approval.kind], bold: true, tone: 'warn' }, ...more]
  return marked({ text: '?', tone: 'warn', bold: true }, wrapLine(question, beside(room)))
}

/** A command's title is its first line, which the detail shows anyway. */
function titleRows({ title, detail }: Approval, room: Room): readonly Line[] {
  if (detail.startsWith(title)) return []
  return indented(wrapLine([{ text: showHidden(title).replaceAll('\n', ' '), bold: true }], beside(room)))
}

function clipped(detail: readonly Line[], limit: number): readonly Line[] {
  const kept = Math.max(1, limit - 1)
  const head = Math.ceil(kept / 2)
  return clipRows(detail, { head, tail: kept - head, hint: ' · v prints all' })
}

function contextRows({ approval, homeFolder }: Asking, room: Room): readonly Line[] {
  const { rule, sandbox, reason, environment = {} } = approval
  const place =
    rule.file === undefined ? rule.name : `${rule.name}, ${rule.file}${rule.line === undefined ? '' : `:${rule.line}`}`
  const limits: Span =
    sandbox === 'none' ? { text: 'not sandboxed', tone: 'warn' } : { text: `sandbox ${sandbox}`, tone: 'muted' }
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  const lines: Line[] = [
    [{ text: `in ${showHidden(shortPath(approval.cwd, homeFolder))} · `, tone: 'muted' }, limits],
    ...(variables.length === 0 ? [] : [[{ text: `with ${showHidden(variables.join(' '))}`, tone: 'muted' } as const]]),
    [{ text: `${showHidden(reason).replaceAll('\n', ' ')} [${showHidden(place)}]`, tone: 'muted' }],
  ]
  return indented(lines.flatMap((line) => wrapLine(line, beside(room))))
}

const instead: Readonly<Record<Exclude<AnswerMode, 'answer'>, Span>> = {
  note: { text: 'No. What should it do instead? Enter sends it, Esc goes back', bold: true },
  typing: { text: 'Keys go to your text. Send it or clear it (Ctrl+C) to answer', tone: 'warn' },
  view: { text: 'This is a view: it is answered where the conversation is open', tone: 'warn' },
  lost: { text: 'It can be answered when the server runs again', tone: 'warn' },
}

function choiceRows({ approval, mode, maxRows }: Asking, room: Room): readonly Line[] {
  const isRoomy = maxRows >= roomyRows
  const gap: readonly Line[] = isRoomy ? [[]] : []
  if (mode !== 'answer') return [...gap, ...indented(wrapLine([instead[mode]], beside(room)))]
  const session = offers(approval, 'approvedForSession')
  const choices = [
    choice('1', 'yes', 'y'),
    ...(session ? [choice('2', 'yes, for this conversation')] : []),
    choice('3', 'no, and tell it what to do instead', 'n'),
    choice('4', 'stop', 'esc'),
  ]
  if (isRoomy) return [...gap, ...indented(choices.flatMap((line) => wrapLine(line, { ...beside(room), hang: 2 })))]
  const inline = choices.flatMap((spans, index) => (index === 0 ? spans : [dot, ...spans]))
  return indented(wrapLine(inline, beside(room)))
}

const dot: Span = { text: ' · ', tone: 'muted' }

function choice(digit: string, words: string, letter?: string): Line {
  const key: readonly Span[] = letter === undefined ? [] : [{ text: ` (${letter})`, tone: 'muted' }]
  return [{ text: digit, bold: true, tone: 'accent' }, { text: ` ${words}` }, ...key]
}
