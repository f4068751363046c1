import type { Approval, ApprovalKind, Enforcement } from '@parley/protocol'
import { choicesFor } from '../../ui/approval/choices.ts'
import { showHidden, visibleLine } from '../text/control-characters.ts'
import { beside, indented, marked } from '../text/gutter.ts'
import type { Line, Room, Span } from '../text/span.ts'
import { wrapLine } from '../text/wrap.ts'
import { contextRows } from './approval-context.ts'
import { approvalDetail, characterWarnings } from './approval-detail.ts'

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
    ...indented(contextRows({ ...asked, homeFolder: '' }, beside(room), 'whole')),
    ...alwaysRows(approval, room),
  ]
}

/** Question by kind of approval. */
const questions: Readonly<Record<ApprovalKind, string>> = {
  command: 'Run this command?',
  patch: 'Make this change?',
  escalation: 'Run this outside the sandbox?',
  network: 'Allow this to use the network?',
  mcpTool: 'Allow this call?',
  read: 'Read this outside the allowed folders?',
  elicitation: 'A tool server asks you:',
}

/** Returns the question, followed by `more` on its row. */
export function headRows({ kind }: Approval, room: Room, more: readonly Span[] = []): readonly Line[] {
  const question: Line = [{ text: questions[kind], bold: true, tone: 'warn' }, ...more]
  return marked({ text: '?', tone: 'warn', bold: true }, wrapLine(question, beside(room)))
}

/** Returns the title, unless the detail repeats it (a command's first line, a patch's files). */
export function wholeTitle({ kind, title, detail, files = [] }: Approval, room: Room): readonly Line[] {
  if (detail.startsWith(title) || (kind === 'patch' && files.length > 0)) return []
  const line: Line = [{ text: visibleLine(title), bold: true }]
  return wrapLine(line, room)
}

/** Returns the warnings, each with an exclamation mark since colour alone may be missed. */
export function warningRows(approval: Approval, room: Room): readonly Line[] {
  const lines = characterWarnings(approval).map((text): Line => [{ text: `! ${text}`, tone: 'bad', bold: true }])
  return indented(lines.flatMap((line) => wrapLine(line, beside(room))))
}

/** Returns the label of what a permanent yes would allow. */
export function alwaysLabel({ always }: Approval): string {
  return showHidden(always?.label ?? '').replaceAll('\n', ' ')
}

/** Returns what a permanent yes would allow, where offered. */
function alwaysRows(approval: Approval, room: Room): readonly Line[] {
  const choice = choicesFor(approval).find(({ answer }) => answer === 'yesAlways')
  if (choice === undefined) return []
  const text = `${choice.digit} would always allow, in every folder, with or without a sandbox: ${alwaysLabel(approval)}`
  return indented(wrapLine([{ text, tone: 'muted' }], beside(room)))
}
