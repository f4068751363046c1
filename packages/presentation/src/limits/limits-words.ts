import type { ConversationCore, ConversationId, ResultOf, Settings } from '@parley/protocol'
import { type Line, lineText, type Span } from '../text/span.ts'

/** Returns the words of the limits in force, with the ports that a browser reaches. */
export function limitsWords(core: Pick<ConversationCore, 'settings' | 'forwards'>): string {
  return lineText(joinedByDots([limitsSpans(core.settings, false), ...forwardMarks(core)]))
}

/** Returns the ports of the sandbox that a browser reaches; empty without ports. They belong to the limits. */
export function forwardMarks({ forwards = [] }: Pick<ConversationCore, 'forwards'>): readonly Line[] {
  if (forwards.length === 0) return []
  const ports = forwards.map(({ port }) => `:${port}`).join(' ')
  return [[{ text: forwards.length > 3 ? `${forwards.length} ports open` : `${ports} open`, tone: 'warn' }]]
}

/** Returns what holds commands and when the user is asked, in full or as few words as fit a window of 20 columns. */
export function limitsSpans(settings: Settings, isBrief: boolean): Line {
  const { approvalPolicy } = settings
  const isOff = approvalPolicy === 'never'
  const asks = isBrief ? (isOff ? 'never' : 'asks') : askingWords(settings)
  return [sandboxSpan(settings, isBrief), muted(', '), isOff ? { text: asks, tone: 'bad', bold: true } : muted(asks)]
}

function askingWords({ approvalPolicy, sandbox, enforcement }: Settings): string {
  switch (approvalPolicy) {
    case 'untrusted':
      return 'asks before every change'
    case 'on-failure':
      return 'asks on failure'
    case 'on-request':
      if (sandbox === 'danger-full-access') return 'asks before it destroys'
      return enforcement === 'full' ? 'asks to leave' : 'asks before every change'
    case 'never':
      return 'never asks'
  }
}

function sandboxSpan({ enforcement, sandbox, network }: Settings, isBrief: boolean): Span {
  if (sandbox === 'danger-full-access') return { text: 'FULL ACCESS', tone: 'bad', bold: true }
  if (enforcement === 'none') return { text: 'no sandbox', tone: 'bad', bold: true }
  const mode = sandbox === 'read-only' ? 'read-only' : isBrief ? 'sandbox' : 'sandboxed'
  const hasNetwork = network === true && sandbox === 'workspace-write'
  if (isBrief) return muted(`${enforcement === 'partial' ? 'part ' : ''}${mode}${hasNetwork ? '+net' : ''}`)
  const box = sandbox === 'read-only' ? 'read-only sandbox' : mode
  return muted(`${box}${enforcement === 'partial' ? ' in part' : ''}${hasNetwork ? ' with network' : ''}`)
}

export const separator = ' · '

export function joinedByDots(parts: readonly Line[]): Line {
  return parts.flatMap((spans, index) => (index === 0 ? spans : [muted(separator), ...spans]))
}

function muted(text: string): Span {
  return { text, tone: 'muted' }
}

/** Describes the handling of calls that no sandbox limits and no rule calls harmless. */
export function notKnownHarmless(approvalPolicy: Settings['approvalPolicy']): string {
  return `what is not known to be harmless ${approvalPolicy === 'never' ? 'is denied' : 'asks first'}`
}

/** Returns what enforces the limits where the conversation works, which may be another machine than the server's. */
export function enforcementReasonOf(
  conversationId: ConversationId,
  { conversations, enforcementReason }: ResultOf<'server/diagnostics'>,
): string {
  return conversations.find((open) => open.conversationId === conversationId)?.enforcementReason ?? enforcementReason
}
