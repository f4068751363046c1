import type { Approval, ApprovalKind } from '@parley/protocol'
import { choicesFor } from '../../ui/approvals.ts'
import { deceptions } from '../approval-detail.ts'
import { beside, indented, marked } from '../gutter.ts'
import { showHidden } from '../neutralise.ts'
import type { Line, Room, Span } from '../span.ts'
import { visibleLine } from '../visible-text.ts'
import { wrapLine } from '../wrap.ts'

/** What is asked, by kind. */
export const questions: Readonly<Record<ApprovalKind, string>> = {
  command: 'Run this command?',
  patch: 'Make this change?',
  escalation: 'Run this outside the sandbox?',
  network: 'Allow this to use the network?',
  mcpTool: 'Allow this call?',
  read: 'Read this outside the allowed folders?',
  elicitation: 'A tool server asks you:',
}

/** The question itself, and what stands behind it on its row. */
export function headRows({ kind }: Approval, room: Room, more: readonly Span[] = []): readonly Line[] {
  const question: Line = [{ text: questions[kind], bold: true, tone: 'warn' }, ...more]
  return marked({ text: '?', tone: 'warn', bold: true }, wrapLine(question, beside(room)))
}

/** The title, unless the detail says it anyway: that of a command is its first line, that of a patch names its files. */
export function wholeTitle({ kind, title, detail, files = [] }: Approval, room: Room): readonly Line[] {
  if (detail.startsWith(title) || (kind === 'patch' && files.length > 0)) return []
  const line: Line = [{ text: visibleLine(title), bold: true }]
  return wrapLine(line, room)
}

/** Said before anything else about it, and not by colour alone. */
export function deceptionRows(approval: Approval, room: Room): readonly Line[] {
  const lines = deceptions(approval).map((text): Line => [{ text: `! ${text}`, tone: 'bad', bold: true }])
  return indented(lines.flatMap((line) => wrapLine(line, beside(room))))
}

/** The words that the key for always allows from then on. */
export function alwaysLabel({ always }: Approval): string {
  return showHidden(always?.label ?? '').replaceAll('\n', ' ')
}

/** What a yes for always would allow, where that is offered. */
export function alwaysRows(approval: Approval, room: Room): readonly Line[] {
  const choice = choicesFor(approval).find(({ answer }) => answer === 'yesAlways')
  if (choice === undefined) return []
  const text = `${choice.digit} would always allow, in every folder, with or without a sandbox: ${alwaysLabel(approval)}`
  return indented(wrapLine([{ text, tone: 'muted' }], beside(room)))
}
