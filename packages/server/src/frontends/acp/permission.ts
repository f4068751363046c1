import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import type { ApprovalAnswer } from '@parley/client'
import {
  type AlwaysRule,
  type Approval,
  type ApprovalDecision,
  type CallItem,
  type Enforcement,
  type Item,
  isCall,
} from '@parley/protocol'
import { callKindOf, typedCommand } from '@parley/protocol/calls'
import { describeQuestion, onOneLine, questionText, reachOfAlways } from '@parley/protocol/question'
import { type ChangedTexts, diffsOf, fenced, textContent } from './call-updates.ts'

export interface Question {
  readonly sessionId: string
  readonly approval: Approval
  /** The call that is asked about; null where the state does not hold it. */
  readonly item: Item | null
  readonly files: ChangedTexts
  readonly enforcement: Enforcement
}

/** Returns the question with everything that a yes would allow, in a block of code that its text cannot end. */
export function permissionRequest({
  sessionId,
  approval,
  item,
  files,
  enforcement,
}: Question): RequestPermissionRequest {
  const typed = approval.command === undefined ? '' : typedCommand(approval.command)
  const text = questionText(describeQuestion(approval, enforcement), approval.kind, typed)
  const call: CallItem | null = item !== null && isCall(item) ? item : null
  return {
    sessionId,
    toolCall: {
      toolCallId: approval.itemId,
      title: onOneLine(typed === '' ? approval.title : typed),
      ...(call === null ? {} : { kind: callKindOf(call), locations: call.locations ?? [] }),
      status: 'pending',
      content: [textContent(fenced(text)), ...diffsOf(files)],
    },
    options: optionsOf(approval),
  }
}

/** A form with fields cannot be filled in here: it can only be declined. */
function optionsOf({ decisions, always, kind, form }: Approval): PermissionOption[] {
  const offered = decisions.filter((decision) => (form?.fields.length ?? 0) === 0 || !isYes(decision))
  return offered.map((optionId) => ({
    optionId,
    kind: kinds[optionId],
    name: optionId === 'approvedAlways' && always !== undefined ? alwaysName(always, kind) : names[optionId],
  }))
}

function isYes(decision: ApprovalDecision): boolean {
  return decision !== 'denied' && decision !== 'abort'
}

const kinds: Readonly<Record<ApprovalDecision, PermissionOption['kind']>> = {
  approved: 'allow_once',
  approvedForSession: 'allow_always',
  approvedAlways: 'allow_always',
  denied: 'reject_once',
  abort: 'reject_once',
}

const names: Readonly<Record<ApprovalDecision, string>> = {
  approved: 'Allow once',
  approvedForSession: 'Allow for this session',
  approvedAlways: 'Always allow',
  denied: 'Deny',
  abort: 'Deny and stop',
}

function alwaysName({ label }: AlwaysRule, kind: Approval['kind']): string {
  return `Always allow ${label} (${reachOfAlways(kind)})`
}

/** Returns the answer that was chosen. Whatever was not offered denies; `cancelled` also ends the turn. */
export function answerOf({ outcome }: RequestPermissionResponse, approval: Approval): NonNullable<ApprovalAnswer> {
  if (outcome.outcome === 'cancelled') return approval.decisions.includes('abort') ? 'abort' : 'denied'
  return optionsOf(approval).find(({ optionId }) => optionId === outcome.optionId) === undefined
    ? 'denied'
    : (approval.decisions.find((decision) => decision === outcome.optionId) ?? 'denied')
}
