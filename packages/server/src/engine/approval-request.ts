import type { ApprovalKind, ApprovalRequest, CallItem } from '@parley/protocol'
import type { Facts } from '../core/policy/facts.ts'
import type { Run } from './run.ts'

interface Asked {
  readonly facts: Facts
  readonly contentHash: string
  /** What cannot be granted for the conversation is asked each time. */
  readonly sessionOffered: boolean
}

/** The question to the user about one call. It binds to exactly this command or patch. */
export function approvalFor({ conversation, bench }: Run, item: CallItem, about: Asked): ApprovalRequest {
  const { facts, contentHash, sessionOffered } = about
  const { meta, turn, settings } = conversation.state.core
  return {
    id: bench.ids.approval(),
    itemId: item.id,
    turnId: turn?.id ?? '',
    kind: kindOf(facts),
    title: titleOf(item),
    detail: detailOf(item),
    ...(item.type === 'commandExecution' ? { command: item.command } : {}),
    cwd: item.type === 'commandExecution' ? item.cwd : meta.cwd,
    ...(settings.environment === undefined ? {} : { place: settings.environment }),
    sandbox: settings.tier === 'C' || settings.tier === 'D' ? 'none' : settings.sandbox,
    contentHash,
    reason: item.decision?.reason ?? '',
    rule: item.decision?.rule ?? { name: 'builtin:ask' },
    decisions: sessionOffered ? ['approved', 'approvedForSession', 'denied', 'abort'] : ['approved', 'denied', 'abort'],
    answerableBy: [...bench.answerers()],
  }
}

function kindOf(facts: Facts): ApprovalKind {
  switch (facts.kind) {
    case 'command':
      return facts.escalation === null ? 'command' : 'escalation'
    case 'patch':
      return 'patch'
    case 'read':
      return 'read'
    case 'mcp':
    case 'other':
      return 'mcpTool'
  }
}

function titleOf(item: CallItem): string {
  const inBackground = item.type === 'commandExecution' && item.background === true
  return inBackground ? `${item.title} (in the background, without a time limit)` : item.title
}

function detailOf(item: CallItem): string {
  if (item.type === 'fileChange') return item.changes.map(({ diff }) => diff).join('\n')
  return item.type === 'commandExecution' || item.text !== '' ? item.text : item.input
}
