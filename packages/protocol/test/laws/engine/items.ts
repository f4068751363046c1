import type { ApprovalRequest, CallItem, ContentItem, Form, Item, ItemOf, TokenCounts } from '@parley/protocol'
import type { Call, Choice } from './engine.ts'

export const ada = { clientId: 'c-1', name: 'ada' }

export function textInput(text: string): ContentItem[] {
  return [{ type: 'text', text }]
}

export function userMessage(id: string, text: string, messageId: string): Item {
  return {
    id,
    type: 'userMessage',
    status: 'completed',
    title: text,
    text,
    content: textInput(text),
    messageId,
    by: ada,
  }
}

export function spoken(id: string, { flag }: Choice): ItemOf<'agentMessage' | 'reasoning'> {
  const shown = { id, status: 'inProgress' as const, text: '' }
  return flag
    ? { ...shown, type: 'agentMessage', title: 'Answer' }
    : { ...shown, type: 'reasoning', title: 'Reasoning' }
}

export function shellCommand(id: string, command: string): ItemOf<'shellCommand'> {
  return {
    id,
    type: 'shellCommand',
    status: 'inProgress',
    title: command,
    text: command,
    command,
    cwd: '/repo',
    by: ada,
  }
}

/** A call of one of the three kinds; some look-ups. */
export function proposal(id: string, { count, text, flag }: Choice): CallItem {
  const shown = { id, status: 'proposed' as const, title: text, text, ...(flag ? { readOnly: true as const } : {}) }
  switch (count % 3) {
    case 0:
      return { ...shown, type: 'commandExecution', tool: 'shell', command: ['sh', '-c', text], cwd: '/repo' }
    case 1:
      return { ...shown, type: 'fileChange', tool: 'apply_patch', changes: [], patchHash: `sha256:${count}` }
    default:
      return { ...shown, type: 'toolCall', tool: 'search', input: JSON.stringify({ text }) }
  }
}

export function approvalOf({ item, attempt }: Call, id: string, turnId: string): ApprovalRequest {
  return {
    id,
    itemId: item.id,
    turnId,
    kind: attempt > 1 ? 'escalation' : 'command',
    title: item.title,
    detail: item.text,
    cwd: '/repo',
    sandbox: attempt > 1 ? 'none' : 'workspace-write',
    reason: 'Not known to be safe.',
    rule: { name: 'builtin:untrusted' },
    decisions: ['approved', 'approvedForSession', 'denied', 'abort'],
    answerableBy: [ada.clientId],
  }
}

export function questionOf(call: Call, id: string, turnId: string): ApprovalRequest {
  const form: Form = { fields: [{ name: 'branch', title: 'Branch', type: 'string', required: true }] }
  return { ...approvalOf(call, id, turnId), kind: 'elicitation', form, decisions: ['approved', 'denied', 'abort'] }
}

export function tokens({ count }: Choice): TokenCounts {
  return { inputTokens: count, cachedInputTokens: count % 7, outputTokens: count % 5, reasoningTokens: count % 3 }
}
