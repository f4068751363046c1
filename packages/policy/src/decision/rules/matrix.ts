import type { ApprovalPolicy, Enforcement, RunLimits, SandboxMode } from '@parley/protocol'
import { reasonsToAsk } from '@parley/protocol/calls'
import type { WiderRight } from './rules.ts'

export type DecisionCode =
  | 'noSandbox'
  | 'policyNever'
  | 'deniedByRule'
  | 'escalationRefused'
  | 'networkRefused'
  | 'outsideRoots'
  | 'dangerous'
  /** Something besides policy forbids the call, such as a hook. */
  | 'narrowed'

/** Built-in decision of one cell of the matrix. */
export interface Outcome {
  /** Name of the rule that people see, after `builtin:`. */
  readonly name: string
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly code?: DecisionCode
  /** Lets an allow rule answer the question. Rules save questions; they never widen the limits of the sandbox mode. */
  readonly liftable?: true
  /** Right that the question is about. Only an allow rule that grants it answers the question. */
  readonly wider?: WiderRight
  /** Makes a yes to the question a yes to running outside the sandbox. */
  readonly pastSandbox?: true
  readonly reason: string
}

export type Cell = Readonly<Record<Enforcement, Outcome>>

/**
 * Row of the matrix: the built-in decision about one class of calls under every approval policy, sandbox mode and
 * enforcement. Rules and grants come on top. Each kind of facts declares its own rows.
 */
export type MatrixRow = Readonly<Record<ApprovalPolicy, Readonly<Record<SandboxMode, Cell>>>>

/**
 * Cells of a row for `workspace-write`, which also hold in the other modes unless `readOnly` or `fullAccess` replaces
 * them.
 */
interface RowCells extends Readonly<Record<ApprovalPolicy, Cell>> {
  /** Cells that differ in read-only mode. */
  readonly readOnly?: Readonly<Partial<Record<ApprovalPolicy, Cell>>>
  /** Cells of full access that are not `full-access`. Under `untrusted` full access changes nothing. */
  readonly fullAccess?: Readonly<Partial<Record<Exclude<ApprovalPolicy, 'untrusted'>, Cell>>>
}

export function rowOf({ readOnly = {}, fullAccess = {}, ...cells }: RowCells): MatrixRow {
  const modesOf = (policy: ApprovalPolicy) => ({
    'read-only': readOnly[policy] ?? cells[policy],
    'workspace-write': cells[policy],
    'danger-full-access':
      policy === 'untrusted' ? cells.untrusted : (fullAccess[policy] ?? always(outcomes.fullAccess)),
  })
  return {
    untrusted: modesOf('untrusted'),
    'on-failure': modesOf('on-failure'),
    'on-request': modesOf('on-request'),
    never: modesOf('never'),
  }
}

/** Returns the row of calls that are harmless under every setting. */
export function harmlessRow(outcome: Outcome): MatrixRow {
  const cell = always(outcome)
  const cells = { 'on-failure': cell, 'on-request': cell, never: cell }
  return rowOf({ ...cells, untrusted: cell, fullAccess: cells })
}

/** Returns the row of calls that are asked about, or denied under `never`, in every limited mode. */
export function askedRow(asked: Outcome, denied: Outcome, changed: Partial<RowCells> = {}): MatrixRow {
  return rowOf({ ...askedCells(asked, denied), ...changed })
}

/** Returns the cells of one mode in which calls are asked about, or denied under `never`. */
export function askedCells(asked: Outcome, denied: Outcome): Readonly<Record<ApprovalPolicy, Cell>> {
  const cell = always(asked)
  return { untrusted: cell, 'on-failure': cell, 'on-request': cell, never: always(denied) }
}

/**
 * Returns the row of calls that ask the user in every mode. Under `never` they run, and report that nobody was asked.
 */
export function userRow(asked: Outcome, notAsked: Outcome): MatrixRow {
  const [cell, never] = [always(asked), always(notAsked)]
  const cells = { 'on-failure': cell, 'on-request': cell, never }
  return rowOf({ untrusted: cell, ...cells, fullAccess: cells })
}

export function always(outcome: Outcome): Cell {
  return { full: outcome, partial: outcome, none: outcome }
}

/** Applies the outcome where the sandbox is enforced in full, and asks elsewhere. */
export function enforcedOrAsked(enforced: Outcome): Cell {
  return { full: enforced, partial: outcomes.partialSandbox, none: outcomes.noSandbox }
}

/** Applies the outcome where the sandbox is enforced in full, and denies elsewhere. */
export function enforcedOrDenied(enforced: Outcome): Cell {
  return { full: enforced, partial: outcomes.partialSandboxNever, none: outcomes.noSandboxNever }
}

export function allow(name: string, reason: string): Outcome {
  return { name, verdict: 'allow', reason }
}

export function ask(
  name: string,
  reason: string,
  effect: Pick<Outcome, 'liftable' | 'pastSandbox' | 'wider'> = {},
): Outcome {
  return { name, verdict: 'ask', reason, ...effect }
}

export function deny(name: string, code: DecisionCode, reason: string): Outcome {
  return { name, verdict: 'deny', code, reason }
}

/** Advice for a call denied under `never`, where no rule can allow it. Holds on remote machines as well. */
const waysOut =
  'Ways out, for the user: an approval policy that may ask (--ask-for-approval on-request), where rules in policy.toml' +
  ' can allow single commands; or no limits at all (--sandbox danger-full-access).'

/** Outcomes that several kinds of facts share. */
export const outcomes = {
  sandboxed: allow('sandboxed', 'the sandbox limits what it can do'),
  fullAccess: allow('full-access', 'the sandbox mode is danger-full-access'),
  untrusted: ask('untrusted', reasonsToAsk.untrusted, { liftable: true }),
  noSandbox: ask('no-sandbox', 'nothing here enforces a sandbox, so all that is not known to be harmless is asked', {
    liftable: true,
  }),
  noSandboxNever: deny(
    'no-sandbox-never',
    'noSandbox',
    `nothing here enforces a sandbox, and the approval policy is never. ${waysOut}`,
  ),
  partialSandbox: ask('partial-sandbox', 'the sandbox here is partial, so only known read-only commands run unasked', {
    liftable: true,
  }),
  partialSandboxNever: deny(
    'partial-sandbox-never',
    'noSandbox',
    `the sandbox here is partial, and the approval policy is never. ${waysOut}`,
  ),
} as const satisfies Record<string, Outcome>

/** Sandbox that a conversation asks for. The limits in force follow from it, call by call. */
export interface SandboxPolicy {
  readonly sandboxMode: SandboxMode
  /** Gives every command of `workspace-write` the network. */
  readonly network?: boolean
}

export interface LimitSettings extends SandboxPolicy {
  readonly approvalPolicy: ApprovalPolicy
}

/** Use of the sandbox that a decision permits: now, or once the question is answered with yes. */
export type SandboxUse = 'sandboxed' | 'unsandboxed'

/**
 * Returns whether a call may ask for more than the sandbox gives. Under `on-failure` such requests are ignored, since a
 * block leads to a question anyway; under `never` they are denied.
 */
export function honoursRequests(policy: ApprovalPolicy): boolean {
  return policy === 'untrusted' || policy === 'on-request'
}

/** Returns whether every command has the network. In read-only mode the setting does not apply. */
export function allHaveNetwork({ sandboxMode, network }: SandboxPolicy): boolean {
  return network === true && sandboxMode === 'workspace-write'
}

/** Returns the limits of calls that have no limits of their own. */
export function usualLimits(use: SandboxUse, { sandboxMode }: SandboxPolicy): RunLimits {
  const isUnlimited = use === 'unsandboxed' || sandboxMode === 'danger-full-access'
  return isUnlimited ? { sandbox: 'none', network: true } : { sandbox: sandboxMode, network: false }
}
