import { createHash } from 'node:crypto'
import {
  type DecideSettings,
  type Decision,
  decide,
  type Facts,
  type Grant,
  hasOwnLimits,
  type Rules,
  retryAfter,
  sandboxLimits,
  withoutNeedlessRequest,
} from '@parley/policy'
import type { Approval, CallItem, ConversationState, DecisionRecord, RunLimits } from '@parley/protocol'
import type { ReadyCall } from '../../tools/tool.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'

/** Execution of a call as policy judges it: the first, or the retry with more rights after a sandbox block. */
export interface Attempt {
  readonly number: 1 | 2
  readonly facts: Facts
  readonly decision: Decision
  readonly limits: RunLimits
}

/** Everything besides the call that its next step depends on. Read anew before each step. */
export interface CallPolicy {
  readonly state: ConversationState
  readonly rules: Rules
  readonly sessionGrants: readonly Grant[]
  /** Path of the policy file that `approvedAlways` adds a rule to. */
  readonly policyFile: string
  readonly secretsIn: (text: string) => ReadonlyMap<string, string>
  /** True once the turn is stopped: nothing more starts. */
  readonly stopped: boolean
}

/** Judges a call that has not run. */
export function firstAttempt(given: Facts, policy: CallPolicy): Attempt {
  const settings = decideSettings(policy)
  const facts = withoutNeedlessRequest(given, settings)
  const decision = decide(facts, settings)
  return { number: 1, facts, decision, limits: sandboxLimits(facts, decision.run, settings) }
}

/** Judges a second run of a call that the sandbox blocked. Returns null where today's policy offers none. */
export function retryAttempt(facts: Facts, blocked: CallItem, policy: CallPolicy): Attempt | null {
  const settings = decideSettings(policy)
  if (blocked.type !== 'commandExecution' || decide(facts, settings).verdict === 'deny') return null
  const { sandboxBlock = null, decision } = blocked
  const limits = decision?.limits ?? { sandbox: 'none', network: true }
  const retry = retryAfter(sandboxBlock, settings.approvalPolicy, limits)
  return retry === null ? null : { number: 2, facts, ...retry }
}

export function decideSettings({ state, rules, sessionGrants }: CallPolicy): DecideSettings {
  const { approvalPolicy, sandbox: sandboxMode, enforcement, network = false } = state.core.settings
  return { rules, sessionGrants, approvalPolicy, sandboxMode, enforcement, network }
}

/** Returns the hash that an approval binds to: the exact payload and, where the call has its own, the limits of its run. */
export function payloadHashOf(
  { payload }: Pick<ReadyCall, 'payload'>,
  attempt: Attempt,
  state: ConversationState,
): string {
  const { facts, limits } = attempt
  const bound = hasOwnLimits(facts) ? JSON.stringify([payload, limits, ...enforcedBy(limits, state)]) : payload
  return `sha256:${createHash('sha256').update(bound).digest('hex')}`
}

function enforcedBy({ sandbox }: RunLimits, state: ConversationState): readonly unknown[] {
  if (sandbox === 'none') return []
  const { enforcement, unixSockets = false } = state.core.settings
  return [enforcement, unixSockets, ...(sandbox === 'workspace-write' ? workspaceOf(state).roots : [])]
}

/** Returns the record of a decision that policy took by itself. */
export function decisionRecord(attempt: Attempt): DecisionRecord {
  const { verdict, rule, reason, code } = attempt.decision
  return { verdict, rule, reason, ...(code === undefined ? {} : { code }), ...limitsIn(attempt) }
}

/** Returns the record of a decision that a user's answer took. */
export function answeredRecord(approval: Approval, attempt: Attempt): DecisionRecord {
  const { rule, reason, id, decision, by, note } = approval
  return {
    verdict: 'ask',
    rule,
    reason,
    approvalId: id,
    ...(decision === undefined ? {} : { answer: decision }),
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
    ...limitsIn(attempt),
  }
}

/** Returns the limits of a call that has its own. */
function limitsIn({ facts, limits }: Attempt): Pick<DecisionRecord, 'limits'> {
  return hasOwnLimits(facts) ? { limits } : {}
}
