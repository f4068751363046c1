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
  type Mode,
  permits,
} from '@parley/protocol'
import { callKindOf, typedCommand } from '@parley/protocol/calls'
import {
  describeQuestion,
  onOneLine,
  planAnswers,
  planWords,
  questionText,
  reachOfAlways,
} from '@parley/protocol/question'
import { type ChangedTexts, diffsOf, fenced, textContent } from '../updates/call-updates.ts'

export interface PermissionQuestion {
  readonly sessionId: string
  readonly approval: Approval
  /** The call that is asked about; null where the state does not hold it. */
  readonly item: Item | null
  readonly files: ChangedTexts
  readonly enforcement: Enforcement
  /** Modes that the client may answer a plan with. */
  readonly modes: readonly Mode[]
}

/** Returns the question with everything that a yes would allow, in a block of code that its text cannot end. */
export function permissionRequest(question: PermissionQuestion): RequestPermissionRequest {
  const { sessionId, approval, item, files, enforcement } = question
  const typed = approval.command === undefined ? '' : typedCommand(approval.command)
  // The options name the calls that a yes for the session covers.
  const words = { ...describeQuestion(approval, enforcement), session: null }
  const text = questionText(words, approval.kind, { typed })
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
    options: optionsOf(question),
  }
}

type Offered = Pick<PermissionQuestion, 'approval' | 'modes'>

function optionsOf({ approval, modes }: Offered): PermissionOption[] {
  const { always, kind, forSession } = approval
  const work = modes.map(({ name }): PermissionOption => {
    return { optionId: name, kind: 'allow_once', name: capitalized(planWords[name]) }
  })
  const others = offeredDecisions(approval).flatMap((optionId): PermissionOption[] => {
    const option = { optionId, kind: kinds[optionId], name: namesFor(kind)[optionId] }
    if (optionId === 'approvedAlways' && always !== undefined) return [{ ...option, name: alwaysName(always, kind) }]
    if (optionId !== 'approvedForSession' || forSession === undefined) return [option]
    const { covers, any } = forSession
    const wide = any === undefined ? [] : [{ ...option, optionId: anyForSession, name: sessionName(any) }]
    return [{ ...option, name: sessionName(covers) }, ...wide]
  })
  return [...work, ...others]
}

/** Id of the wider answer for the session. */
const anyForSession = 'approvedForSession:any'

function sessionName(words: string): string {
  return `Allow ${onOneLine(words)} for this session`
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function namesFor(kind: Approval['kind']): Readonly<Record<ApprovalDecision, string>> {
  return kind === 'plan' ? { ...names, denied: capitalized(planWords.plan), abort: 'Stop' } : names
}

/**
 * Returns the decisions that a client may choose. A form with fields cannot be filled in here, only declined; a plan
 * has options of its own.
 */
function offeredDecisions({ decisions, form }: Approval): readonly ApprovalDecision[] {
  const hasFields = form !== undefined && form.fields.length > 0
  return hasFields ? decisions.filter((decision) => !permits(decision)) : decisions
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
export function answerOf(
  { outcome }: RequestPermissionResponse,
  { approval, modes }: Offered,
): NonNullable<ApprovalAnswer> {
  if (outcome.outcome === 'cancelled') return approval.decisions.includes('abort') ? 'abort' : 'denied'
  const mode = modes.find(({ name }) => name === outcome.optionId)
  if (mode !== undefined) return { decision: 'approved', answers: planAnswers(mode.name) }
  if (outcome.optionId === anyForSession && approval.forSession?.any !== undefined)
    return { decision: 'approvedForSession', scope: 'any' }
  return offeredDecisions(approval).find((decision) => decision === outcome.optionId) ?? 'denied'
}
