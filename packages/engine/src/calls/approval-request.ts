import {
  alwaysRulesFor,
  approvalKindOf,
  askedLimits,
  type Grant,
  isStillAlike,
  reachOf,
  sessionAnswers,
  storedFacts,
} from '@parley/policy'
import {
  type Approval,
  type ApprovalRequest,
  type CallItem,
  type ConversationId,
  type Form,
  modesWithin,
  ownersOf,
  type SandboxMode,
} from '@parley/protocol'
import { backgroundWords, planForm, runsNothing } from '@parley/protocol/question'
import type { Redaction } from '@parley/redaction'
import type { PatchQuestion } from '@parley/workspace'
import type { ReadyCall } from '../tools/contract/tool.ts'
import { type CallPolicy, decideSettings, type RunAttempt } from './attempt.ts'

/** An approval request without its id and the clients that can answer it. */
export type CallQuestion = Omit<ApprovalRequest, 'id' | 'answerableBy'>

interface JudgedCall {
  readonly item: CallItem
  readonly attempt: RunAttempt
  readonly payloadHash: string
  /** Text of the question about a patch; null for other calls, since their items hold all of it. */
  readonly patch: PatchQuestion | null
  readonly plan: Pick<ReadyCall, 'form' | 'modes'>
}

/** Longest call, in characters, that the user is asked about. Patches have limits of their own. */
const maxDetail = 512 * 1024

/** Returns the reason to reject a call that is too long to be shown whole; null for one that is not. */
export function tooLongToAsk(item: CallItem): string | null {
  const { length } = detailOf(item)
  if (length <= maxDetail) return null
  return `Not run: the user is asked about this and must see all of it, which are ${length} characters; ${maxDetail} can be shown. Do it in smaller steps, or write long texts to files by patches first.`
}

/** Returns the question to the user about one attempt. A yes holds for its payload hash only. */
export function questionAbout(asked: JudgedCall, policy: CallPolicy): CallQuestion {
  const { item, attempt, payloadHash, patch, plan } = asked
  const { number, facts, limits, decision, askedAgain } = attempt
  const { meta, turn, settings } = policy.state.core
  const kind = approvalKindOf(facts, { number, limits, approvalPolicy: settings.approvalPolicy })
  const form = formOf(plan, policy)
  return {
    itemId: item.id,
    turnId: turn?.id ?? '',
    kind,
    title: inBackground(item) ? `${item.title} (${backgroundWords})` : item.title,
    ...(patch === null ? { detail: detailOf(item) } : { ...patch, files: [...patch.files] }),
    ...(item.type === 'commandExecution' ? { command: item.command } : {}),
    ...(inBackground(item) ? { background: true as const } : {}),
    cwd: item.type === 'commandExecution' ? item.cwd : meta.cwd,
    ...(settings.environment === undefined ? {} : { environment: settings.environment }),
    sandbox: limits.sandbox,
    ...askedLimits(facts, limits),
    ...(number > 1 ? { attempt: number } : {}),
    contentHash: payloadHash,
    reason: decision.reason,
    ...(askedAgain === undefined ? {} : { askedAgain }),
    rule: decision.rule,
    ...(hasUsers(policy) ? { reaches: reachOf(attempt) } : {}),
    ...(kind === 'plan' && form === null ? { decisions: noMode } : offers(item, attempt, policy)),
    ...(form === null ? {} : { form }),
    facts: { ...facts },
  }
}

/** Answers to a plan where the ceiling allows no mode to work in. */
const noMode: ApprovalRequest['decisions'] = ['denied', 'abort']

/** Returns the form to fill in: the call's own, or the choice among its modes that the ceiling allows; else null. */
function formOf({ form, modes }: JudgedCall['plan'], { ceiling }: CallPolicy): Form | null {
  if (modes === undefined) return form ?? null
  const offered = modesWithin(ceiling).filter((mode) => modes.includes(mode))
  return offered.length === 0 ? null : planForm(offered)
}

type Offers = Pick<ApprovalRequest, 'decisions' | 'forSession' | 'always'>

/**
 * Returns the answers to offer. A retry is answered neither by a grant nor by a rule; a rule would have to spell out a
 * secret. Users of a shared server add no rules, so they are offered none.
 */
function offers(item: CallItem, attempt: RunAttempt, policy: CallPolicy): Offers {
  const { number, facts, decision } = attempt
  const isLasting = number === 1 && decision.isNarrowed !== true
  const [narrow, wide] = isLasting ? sessionAnswers(attempt) : []
  const always =
    isLasting && !hasUsers(policy) && item.restorable !== false ? alwaysRulesFor(facts, decideSettings(policy)) : null
  return {
    decisions: [
      'approved',
      ...(narrow === undefined ? [] : ['approvedForSession' as const]),
      ...(always === null ? [] : ['approvedAlways' as const]),
      'denied',
      'abort',
    ],
    ...(narrow === undefined
      ? {}
      : { forSession: { covers: narrow.words, ...(wide === undefined ? {} : { any: wide.words }) } }),
    ...(always === null ? {} : { always: { label: always.label, rule: always.text, file: policy.policyFile } }),
  }
}

/** Returns what an answer gives to later calls of the session; null for one that holds once. */
export function grantOf({ decision, scope, facts }: Approval, attempt: RunAttempt): Grant | null {
  if (decision !== 'approvedForSession') return null
  const shown = storedFacts(facts)
  // The tool may have been exchanged while the question waited.
  if (shown !== null && !isStillAlike(shown, attempt.facts)) return null
  return sessionAnswers(attempt).at(scope === 'any' ? 1 : 0)?.grant ?? null
}

function hasUsers({ state }: CallPolicy): boolean {
  return ownersOf(state.core.meta.access).length > 0
}

/** Returns the narrowest sandbox mode that lets as much happen as a yes to a question, whenever that was asked. */
export function reachOfYes({ kind, facts, sandbox, network = false, reaches }: Approval): SandboxMode {
  return runsNothing(kind)
    ? (reaches ?? 'read-only')
    : reachOf({ facts: storedFacts(facts), limits: { sandbox, network } })
}

function inBackground(item: CallItem): boolean {
  return item.type === 'commandExecution' && item.background === true
}

function detailOf(item: CallItem): string {
  return item.type !== 'toolCall' || item.text !== '' ? item.text : item.input
}

type SealedYes = Pick<Approval, 'id' | 'contentHash' | 'decision' | 'scope' | 'seal'>

/**
 * Returns the checksum of a yes. Only servers of this home can make it, so a log from elsewhere brings no valid one.
 */
export function sealOf(
  { id, contentHash, decision, scope }: SealedYes,
  conversationId: ConversationId,
  { seal }: Pick<Redaction, 'seal'>,
): string {
  return seal(JSON.stringify([conversationId, id, contentHash, decision, ...(scope === undefined ? [] : [scope])]))
}

/** Returns true for a yes that was given to a server of this home, in this process or an earlier one. */
export function isSealed(yes: SealedYes, conversationId: ConversationId, redaction: Pick<Redaction, 'seal'>): boolean {
  return yes.seal !== undefined && yes.seal === sealOf(yes, conversationId, redaction)
}
