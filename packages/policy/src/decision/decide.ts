import type { ApprovalPolicy, Enforcement, RuleRef, SandboxMode } from '@parley/protocol'
import { columnOf, particularsOf } from './column-of.ts'
import type { Facts } from './facts.ts'
import { type Grant, matchesGrant } from './grants.ts'
import { matchAllow } from './match-allow.ts'
import { matchBelow, matchStrict } from './match-strict.ts'
import { matrix } from './matrix.ts'
import { type DecisionCode, limitedTool, type Outcome, outcomes, unlimitedTool } from './outcomes.ts'
import { type Rule, type Rules, ruleRefOf } from './rules.ts'
import { allHaveNetwork, honoursWishes } from './run-limits.ts'

export type RunLevel = 'sandboxed' | 'unsandboxed'

export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly rule: RuleRef
  readonly reason: string
  readonly code?: DecisionCode
  /** How it runs if it runs: now, or once the question is answered with yes. */
  readonly run: RunLevel
}

export interface DecideSettings {
  readonly rules: Rules
  readonly sessionGrants: readonly Grant[]
  readonly approvalPolicy: ApprovalPolicy
  readonly sandboxMode: SandboxMode
  readonly enforcement: Enforcement
  /** All commands of `workspace-write` have the network. */
  readonly network?: boolean
}

/**
 * The one gate. A rule can always forbid or ask; an allow rule or a grant only answers a question that the matrix
 * asks, so neither ever makes a denied call run.
 */
export function decide(given: Facts, settings: DecideSettings): Decision {
  const facts = withoutNeedlessWish(given, settings)
  const name = matrix[settings.approvalPolicy][settings.sandboxMode][columnOf(facts)][settings.enforcement]
  const outcome: Outcome = outcomes[name]
  const run = outcome.pastSandbox || escalates(facts, settings) ? 'unsandboxed' : enforcedLevel(settings)
  const denied = matchStrict('deny', settings.rules, facts)
  if (denied !== null) return { ...byRule(denied, 'deny', run), code: 'deniedByRule' }
  const builtIn = fromOutcome(name, outcome, { facts, run })
  if (builtIn.verdict === 'deny') return builtIn
  const asked = matchStrict('ask', settings.rules, facts) ?? matchBelow(settings.rules, facts)
  if (asked !== null && settings.approvalPolicy === 'never') return neverAsks(asked, run)
  if (asked === null && builtIn.verdict === 'allow') return builtIn
  if (settings.sessionGrants.some((grant) => matchesGrant(grant, facts, run))) return granted(run)
  if (asked !== null) return byRule(asked, 'ask', run)
  const allowed = outcome.liftable ? matchAllow(settings.rules, facts) : null
  return allowed === null ? builtIn : byRule(allowed, 'allow', run)
}

/** Asking for what all commands have is asking for nothing. */
export function withoutNeedlessWish(facts: Facts, settings: DecideSettings): Facts {
  if (facts.kind !== 'command' || facts.network === undefined || !allHaveNetwork(settings)) return facts
  const { network: _wish, ...others } = facts
  return others
}

function enforcedLevel({ sandboxMode, enforcement }: DecideSettings): RunLevel {
  return sandboxMode === 'danger-full-access' || enforcement === 'none' ? 'unsandboxed' : 'sandboxed'
}

function escalates(facts: Facts, { approvalPolicy }: DecideSettings): boolean {
  return honoursWishes(approvalPolicy) && facts.kind === 'command' && facts.escalation !== null
}

function fromOutcome(name: string, outcome: Outcome, { facts, run }: { facts: Facts; run: RunLevel }): Decision {
  const particulars = outcome.verdict === 'allow' ? '' : particularsOf(facts)
  const basis = reasonFor(outcome, facts)
  const reason = particulars === '' ? basis : `${basis} (${particulars})`
  const { verdict, code } = outcome
  const decision = { verdict, rule: { name: `builtin:${name}` }, reason, run }
  return code === undefined ? decision : { ...decision, code }
}

/** The sandbox keeps a server from the rest of the machine, not its tools from what they are there for. */
function reasonFor(outcome: Outcome, facts: Facts): string {
  if (facts.kind !== 'mcp' || facts.confined === undefined) return outcome.reason
  return outcome.reason.replace(unlimitedTool, limitedTool)
}

function byRule(rule: Rule, verdict: Decision['verdict'], run: RunLevel): Decision {
  return { verdict, rule: ruleRefOf(rule), reason: rule.reason ?? plainReason(rule, verdict), run }
}

function plainReason({ decision }: Rule, verdict: Decision['verdict']): string {
  if (decision === verdict) return `a rule says ${verdict}`
  return `it reads a whole folder, and a rule says ${decision} for what may lie below`
}

function neverAsks(rule: Rule, run: RunLevel): Decision {
  const { reason, ...decision } = byRule(rule, 'deny', run)
  return {
    ...decision,
    reason: `${rule.reason ?? 'a rule asks'}, and the approval policy is never`,
    code: 'policyNever',
  }
}

function granted(run: RunLevel): Decision {
  return {
    verdict: 'allow',
    rule: { name: 'builtin:session-grant' },
    reason: 'the user approved this for the session',
    run,
  }
}
