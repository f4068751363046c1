import { createHash } from 'node:crypto'
import type { Decision, Facts } from '@parley/policy'
import type { Approval, ConversationState, DecisionRecord, RunLimits } from '@parley/protocol'
import type { ReadyCall } from '../../tools/tool.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'

/** One call of which is known whether it may run, and under what. */
export interface DecidedCall {
  readonly facts: Facts
  readonly decision: Decision
  readonly limits: RunLimits
  /** 2: it ran in the sandbox, failed for what that blocked, and would run again with more rights. */
  readonly attempt: number
}

/** What an approval binds to: exactly what would be done, and for a command what it could do then. */
export function contentHashOf(
  { payload }: ReadyCall,
  { facts, limits }: DecidedCall,
  state: ConversationState,
): string {
  const bound = facts.kind === 'command' ? JSON.stringify([payload, limits, ...enforcedBy(limits, state)]) : payload
  return `sha256:${createHash('sha256').update(bound).digest('hex')}`
}

function enforcedBy({ sandbox }: RunLimits, state: ConversationState): readonly unknown[] {
  if (sandbox === 'none') return []
  const { enforcement, unixSockets = false } = state.core.settings
  return [enforcement, unixSockets, ...(sandbox === 'workspace-write' ? workspaceOf(state).roots : [])]
}

export function recordOf({ decision, ...call }: DecidedCall): DecisionRecord {
  const { verdict, rule, reason, code } = decision
  return { verdict, rule, reason, ...(code === undefined ? {} : { code }), ...limitsIn(call) }
}

export function answeredRecord(approval: Approval, call: Omit<DecidedCall, 'decision'>): DecisionRecord {
  const { rule, reason, id, decision, by, note } = approval
  return {
    verdict: 'ask',
    rule,
    reason,
    approvalId: id,
    ...(decision === undefined ? {} : { answer: decision }),
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
    ...limitsIn(call),
  }
}

/** Of a command only: nothing else runs in a sandbox. */
function limitsIn({ facts, limits }: Omit<DecidedCall, 'decision'>): Pick<DecisionRecord, 'limits'> {
  return facts.kind === 'command' ? { limits } : {}
}
