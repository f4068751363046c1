import type { ApprovalPolicy, RuleRef } from '@parley/protocol'
import type { Decision } from './decide.ts'

/** Demand of a hook or of a skill in use to ask about a call or to deny it. */
export interface Narrowing {
  readonly verdict: 'ask' | 'deny'
  readonly rule: RuleRef
  readonly reason: string
}

/** Returns the stricter of a decision and a demand; it never allows more. Under `never` a demand to ask denies. */
export function narrowed(decision: Decision, demand: Narrowing | null, approvalPolicy: ApprovalPolicy): Decision {
  if (demand === null || decision.verdict === 'deny') return decision
  const { rule, reason } = demand
  const { run } = decision
  if (demand.verdict === 'deny') return { verdict: 'deny', rule, reason, run, code: 'narrowed' }
  if (decision.verdict === 'ask') return { ...decision, reason: `${reason}; ${decision.reason}` }
  if (approvalPolicy === 'never')
    return { verdict: 'deny', rule, reason: `${reason}, and the approval policy is never`, run, code: 'policyNever' }
  return { verdict: 'ask', rule, reason, run, isNarrowed: true }
}
