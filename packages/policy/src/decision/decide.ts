import type { ApprovalPolicy, Enforcement, RuleRef, RunLimits } from '@parley/protocol'
import { type Facts, kindOf } from './facts.ts'
import { type Grant, isGranted } from './grants.ts'
import { type CallLimits, isInertWord } from './kinds/kind.ts'
import { matchAllow, matchBelow, matchStrict, matchWider } from './match.ts'
import {
  type DecisionCode,
  honoursRequests,
  type LimitSettings,
  type Outcome,
  type SandboxPolicy,
  type SandboxUse,
  usualLimits,
} from './rules/matrix.ts'
import { type Rule, type Rules, ruleRefOf, type WiderRight } from './rules/rules.ts'

export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly rule: RuleRef
  readonly reason: string
  readonly code?: DecisionCode
  /** Use of the sandbox if the call runs: now, or once the question is answered with yes. */
  readonly run: SandboxUse
  /** Present for a question that no grant and no rule answers: policy itself would have allowed the call. */
  readonly isNarrowed?: true
}

export interface DecideSettings extends SandboxPolicy {
  readonly rules: Rules
  readonly sessionGrants: readonly Grant[]
  readonly approvalPolicy: ApprovalPolicy
  readonly enforcement: Enforcement
}

/**
 * Decides whether a call runs, is asked about or is denied, for every call. A strict rule always holds. Allow rules and
 * grants only answer questions of the matrix.
 */
export function decide(given: Facts, settings: DecideSettings): Decision {
  const facts = withoutNeedlessRequest(given, settings)
  const outcome = kindOf(facts).row(facts)[settings.approvalPolicy][settings.sandboxMode][settings.enforcement]
  const run = outcome.pastSandbox || escalates(kindOf(facts), facts, settings) ? 'unsandboxed' : enforcedUse(settings)
  const denied = matchStrict('deny', settings.rules, facts)
  if (denied !== null) return { ...byRule(denied, 'deny', run), code: 'deniedByRule' }
  const builtIn = byMatrix(outcome, facts, run)
  if (builtIn.verdict === 'deny') return builtIn
  const asked = matchStrict('ask', settings.rules, facts) ?? matchBelow(settings.rules, facts)
  if (asked !== null && settings.approvalPolicy === 'never') return neverAsks(asked, run)
  if (asked === null && builtIn.verdict === 'allow') return builtIn
  const { sessionGrants } = settings
  if (isGranted(sessionGrants, { facts, limits: sandboxLimits(facts, run, settings) })) return byGrant(run)
  if (asked !== null) return byRule(asked, 'ask', run)
  const allowed = liftingRule(outcome, facts, settings)
  return allowed === null ? builtIn : byRule(allowed, 'allow', run)
}

function liftingRule({ liftable, wider }: Outcome, facts: Facts, settings: DecideSettings): Rule | null {
  if (liftable) return matchAllow(settings.rules, facts)
  if (wider === undefined || !mayWiden(wider, settings)) return null
  return matchWider(settings.rules, facts, wider)
}

/**
 * Returns whether a rule may give the right under these settings. In read-only mode no rule gives a right; the network
 * is given only where a sandbox enforced in full keeps the command from reading secrets.
 */
export function mayWiden(right: WiderRight, { sandboxMode, enforcement }: DecideSettings): boolean {
  if (sandboxMode === 'read-only') return false
  return right === 'outsideSandbox' || (sandboxMode === 'workspace-write' && enforcement === 'full')
}

/** Returns the facts without requests for rights that every call has, since such a request asks for nothing. */
export function withoutNeedlessRequest(facts: Facts, policy: SandboxPolicy): Facts {
  return kindOf(facts).withoutNeedlessRequest?.(facts, policy) ?? facts
}

/** Returns the limits in force for a call that runs as decided. */
export function sandboxLimits(facts: Facts, use: SandboxUse, settings: LimitSettings): RunLimits {
  return kindOf(facts).limits?.(facts, use, settings) ?? usualLimits(use, settings)
}

function enforcedUse({ sandboxMode, enforcement }: DecideSettings): SandboxUse {
  return sandboxMode === 'danger-full-access' || enforcement === 'none' ? 'unsandboxed' : 'sandboxed'
}

function escalates(kind: CallLimits<Facts>, facts: Facts, { approvalPolicy }: DecideSettings): boolean {
  return honoursRequests(approvalPolicy) && kind.escalates?.(facts) === true
}

function byMatrix({ name, verdict, code, reason: basis }: Outcome, facts: Facts, run: SandboxUse): Decision {
  const particulars = verdict === 'allow' ? '' : kindOf(facts).particulars(facts)
  const reason = particulars === '' ? basis : `${basis} (${particulars})`
  const decision = { verdict, rule: { name: `builtin:${name}` }, reason, run }
  return code === undefined ? decision : { ...decision, code }
}

function byRule(rule: Rule, verdict: Decision['verdict'], run: SandboxUse): Decision {
  return { verdict, rule: ruleRefOf(rule), reason: rule.reason ?? plainReason(rule, verdict), run }
}

function plainReason({ decision }: Rule, verdict: Decision['verdict']): string {
  if (decision === verdict) return `a rule says ${verdict}`
  return `it reads a whole folder, and a rule says ${decision} for what may lie below`
}

function neverAsks(rule: Rule, run: SandboxUse): Decision {
  const { reason, ...decision } = byRule(rule, 'deny', run)
  return {
    ...decision,
    reason: `${rule.reason ?? 'a rule asks'}, and the approval policy is never`,
    code: 'policyNever',
  }
}

function byGrant(run: SandboxUse): Decision {
  const rule = { name: 'builtin:session-grant' }
  return { verdict: 'allow', rule, reason: 'the user approved this for the session', run }
}

const opening = { allow: 'Runs unasked', ask: 'Asks first', deny: 'Denied' } as const

/** Explains a decision to the model in one sentence: the verdict, the reason and the rule. */
export function explainDecision({ verdict, reason, rule }: Decision): string {
  const source = rule.file === undefined ? '' : `, ${rule.file}${rule.line === undefined ? '' : `:${rule.line}`}`
  return `${opening[verdict]}: ${reason.replace(/\.$/, '')} [${rule.name}${source}].`
}

interface ShownCall {
  readonly facts: Facts
  /** Text of a patch or arguments of a tool, as the model wrote them; null when they contain no secret. */
  readonly written: string | null
}

/**
 * Returns whether masking the secrets would hide from the user how the call acts. Anything can be made to look like a
 * secret, and the user must have seen the command that they approve.
 */
export function conceals(
  { facts, written }: ShownCall,
  secretsIn: (text: string) => ReadonlyMap<string, string>,
): boolean {
  const { text, mayMask } = kindOf(facts).approvedText?.(facts, written ?? '') ?? {
    text: written ?? '',
    mayMask: isInertWord,
  }
  return ![...secretsIn(text).values()].every(mayMask)
}
