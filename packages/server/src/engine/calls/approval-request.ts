import { type AlwaysRules, type CommandFacts, honoursRequests } from '@parley/policy'
import type { ApprovalKind, ApprovalRequest, CallItem, RunLimits, Settings } from '@parley/protocol'
import { backgroundWords } from '@parley/protocol/question'
import type { PatchQuestion } from '@parley/workspace'
import type { TurnContext } from '../turn/turn-context.ts'
import type { DecidedCall } from './decided-call.ts'

interface Asked extends DecidedCall {
  readonly contentHash: string
  /** What cannot be granted for the conversation is asked each time. */
  readonly sessionOffered: boolean
  /** Null where no rule would answer it. */
  readonly always: AlwaysRules | null
  /** The question about a patch; null for other calls, as their items say all of it. */
  readonly question: PatchQuestion | null
}

/** The question to the user about one call. It binds to exactly this command or patch. */
export function approvalFor({ conversation, modules }: TurnContext, item: CallItem, about: Asked): ApprovalRequest {
  const { contentHash, sessionOffered, always, limits, decision } = about
  const { meta, turn, settings } = conversation.state.core
  return {
    id: modules.ids.approval(),
    itemId: item.id,
    turnId: turn?.id ?? '',
    kind: kindOf(about, settings),
    title: titleOf(item),
    ...(about.question === null ? { detail: detailOf(item) } : { ...about.question, files: [...about.question.files] }),
    ...(item.type === 'commandExecution' ? { command: item.command } : {}),
    ...(inBackground(item) ? { background: true as const } : {}),
    cwd: item.type === 'commandExecution' ? item.cwd : meta.cwd,
    ...(settings.environment === undefined ? {} : { environment: settings.environment }),
    sandbox: limits.sandbox,
    ...moreOnLimits(about),
    contentHash,
    reason: decision.reason,
    rule: decision.rule,
    decisions: [
      'approved',
      ...(sessionOffered ? ['approvedForSession' as const] : []),
      ...(always === null ? [] : ['approvedAlways' as const]),
      'denied',
      'abort',
    ],
    ...(always === null ? {} : { always: { label: always.label, rule: always.text, file: modules.userRules.file } }),
    facts: { ...about.facts },
    answerableBy: [...modules.answerers()],
  }
}

function moreOnLimits({ facts, limits, attempt }: Asked) {
  if (facts.kind === 'mcp' && facts.confined !== undefined) return { network: limits.network }
  if (facts.kind !== 'command') return {}
  const justification = facts.escalation?.reason ?? facts.network?.reason
  return {
    network: limits.network,
    ...(attempt > 1 ? { attempt } : {}),
    ...(justification === undefined ? {} : { justification }),
  }
}

function kindOf({ facts, limits, attempt }: Asked, { approvalPolicy }: Settings): ApprovalKind {
  switch (facts.kind) {
    case 'command':
      if (attempt > 1) return limits.sandbox === 'none' ? 'escalation' : 'network'
      return honoursRequests(approvalPolicy) ? wishOf(facts, limits) : 'command'
    case 'patch':
      return 'patch'
    case 'read':
      return 'read'
    case 'mcp':
    case 'other':
      return 'mcpTool'
  }
}

/** What is asked for first of all: to destroy for good is more than the network. */
function wishOf({ escalation, network, dangerous }: CommandFacts, { sandbox }: RunLimits): ApprovalKind {
  if (escalation !== null) return 'escalation'
  return network !== undefined && dangerous === null && sandbox !== 'none' ? 'network' : 'command'
}

function titleOf(item: CallItem): string {
  return inBackground(item) ? `${item.title} (${backgroundWords})` : item.title
}

function inBackground(item: CallItem): boolean {
  return item.type === 'commandExecution' && item.background === true
}

function detailOf(item: CallItem): string {
  return item.type !== 'toolCall' || item.text !== '' ? item.text : item.input
}
