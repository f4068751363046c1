import { alwaysRulesFor, type CommandFacts, grantFor, honoursRequests } from '@parley/policy'
import type { ApprovalKind, ApprovalRequest, CallItem, RunLimits, Settings } from '@parley/protocol'
import { backgroundWords } from '@parley/protocol/question'
import type { PatchQuestion } from '@parley/workspace'
import { type Attempt, type CallPolicy, decideSettings } from './attempt.ts'

/** An approval request without its id and the clients that can answer it. */
export type Question = Omit<ApprovalRequest, 'id' | 'answerableBy'>

interface Asked {
  readonly item: CallItem
  readonly attempt: Attempt
  readonly payloadHash: string
  /** Text of the question about a patch; null for other calls, whose items hold all of it. */
  readonly patch: PatchQuestion | null
}

/** Returns the question to the user about one attempt. A yes holds for its payload hash only. */
export function questionAbout(asked: Asked, policy: CallPolicy): Question {
  const { item, attempt, payloadHash, patch } = asked
  const { facts, limits, decision } = attempt
  const { meta, turn, settings } = policy.state.core
  return {
    itemId: item.id,
    turnId: turn?.id ?? '',
    kind: kindOf(attempt, settings),
    title: inBackground(item) ? `${item.title} (${backgroundWords})` : item.title,
    ...(patch === null ? { detail: detailOf(item) } : { ...patch, files: [...patch.files] }),
    ...(item.type === 'commandExecution' ? { command: item.command } : {}),
    ...(inBackground(item) ? { background: true as const } : {}),
    cwd: item.type === 'commandExecution' ? item.cwd : meta.cwd,
    ...(settings.environment === undefined ? {} : { environment: settings.environment }),
    sandbox: limits.sandbox,
    ...moreOnLimits(attempt),
    contentHash: payloadHash,
    reason: decision.reason,
    rule: decision.rule,
    ...offers(item, attempt, policy),
    facts: { ...facts },
  }
}

/** Returns the answers to offer. No grant and no rule answers a retry; a rule would have to spell out a secret. */
function offers(item: CallItem, attempt: Attempt, policy: CallPolicy): Pick<ApprovalRequest, 'decisions' | 'always'> {
  const { number, facts, decision } = attempt
  const isFirst = number === 1
  const forSession = isFirst && grantFor(facts, decision.run) !== null
  const always = isFirst && item.restorable !== false ? alwaysRulesFor(facts, decideSettings(policy)) : null
  return {
    decisions: [
      'approved',
      ...(forSession ? ['approvedForSession' as const] : []),
      ...(always === null ? [] : ['approvedAlways' as const]),
      'denied',
      'abort',
    ],
    ...(always === null ? {} : { always: { label: always.label, rule: always.text, file: policy.policyFile } }),
  }
}

function moreOnLimits({ facts, limits, number }: Attempt) {
  if (facts.kind === 'mcp' && facts.confined !== undefined) return { network: limits.network }
  if (facts.kind !== 'command') return {}
  const justification = facts.escalation?.reason ?? facts.network?.reason
  return {
    network: limits.network,
    ...(number > 1 ? { attempt: number } : {}),
    ...(justification === undefined ? {} : { justification }),
  }
}

function kindOf({ facts, limits, number }: Attempt, { approvalPolicy }: Settings): ApprovalKind {
  switch (facts.kind) {
    case 'command':
      if (number > 1) return limits.sandbox === 'none' ? 'escalation' : 'network'
      return honoursRequests(approvalPolicy) ? kindOfCommand(facts, limits) : 'command'
    case 'patch':
      return 'patch'
    case 'read':
      return 'read'
    case 'mcp':
    case 'other':
      return 'mcpTool'
  }
}

/** Returns the gravest thing a command asks for: leaving the sandbox, then destroying, then the network. */
function kindOfCommand({ escalation, network, dangerous }: CommandFacts, { sandbox }: RunLimits): ApprovalKind {
  if (escalation !== null) return 'escalation'
  return network !== undefined && dangerous === null && sandbox !== 'none' ? 'network' : 'command'
}

function inBackground(item: CallItem): boolean {
  return item.type === 'commandExecution' && item.background === true
}

function detailOf(item: CallItem): string {
  return item.type !== 'toolCall' || item.text !== '' ? item.text : item.input
}
