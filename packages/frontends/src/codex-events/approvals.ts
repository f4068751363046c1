import type { Answers, ApprovalDecision, ApprovalRequest, Item } from '@parley/protocol'
import { readDiffs } from '@parley/protocol/calls'
import { onOneLine, runsNothing } from '@parley/protocol/question'
import { isRecord } from '@parley/text'
import { fileChangesOf } from './call-messages.ts'
import type { AskedCommand, AskedPatch, EventMsg } from './event-msg.ts'
import { grantRootOf } from './grant-root.ts'

/** Approval as clients know it: of a command, of a patch, or a form of a tool's server. */
type CodexQuestion =
  | ({ readonly kind: 'exec' } & AskedCommand)
  | ({ readonly kind: 'patch' } & AskedPatch)
  | { readonly kind: 'form' }

/**
 * Returns the question of an approval. A call that is neither command nor patch is shown as a command of its tool and
 * input.
 */
export function questionOf(approval: ApprovalRequest, item: Item | null): CodexQuestion {
  const { itemId, cwd, kind, command } = approval
  if (runsNothing(kind)) return { kind: 'form' }
  const reason = approval.reason === '' ? {} : { reason: approval.reason }
  if (kind === 'patch') {
    const root = grantRootOf(approval)
    const changes = fileChangesOf(readDiffs(approval.detail), cwd)
    return { kind: 'patch', call_id: itemId, changes, ...reason, ...(root === null ? {} : { grant_root: root }) }
  }
  return { kind: 'exec', call_id: itemId, command: command ?? commandOf(approval, item), cwd, ...reason }
}

function commandOf({ title }: ApprovalRequest, item: Item | null): readonly string[] {
  return item?.type === 'toolCall' ? [item.tool, item.input] : [title]
}

export function approvalMessage(approval: ApprovalRequest, item: Item | null): EventMsg {
  const { kind, ...asked } = questionOf(approval, item)
  if (kind === 'form') {
    const server = item?.type === 'toolCall' ? (/^mcp__(.+?)__/.exec(item.tool)?.[1] ?? item.tool) : ''
    return {
      type: 'elicitation_request',
      id: approval.id,
      server_name: onOneLine(server),
      message: onOneLine(approval.title),
    }
  }
  return 'changes' in asked
    ? { type: 'apply_patch_approval_request', ...asked }
    : { type: 'exec_approval_request', ...(asked as AskedCommand) } // narrowed: only a command has no changes
}

export interface ElicitedAnswer {
  readonly decision: ApprovalDecision
  /** Values of a form. */
  readonly answers?: Answers
}

const denied: ElicitedAnswer = { decision: 'denied' }

/** Decisions by their names in Codex. */
const decisions: ReadonlyMap<unknown, ApprovalDecision> = new Map([
  ['approved', 'approved'],
  ['approved_for_session', 'approvedForSession'],
  ['denied', 'denied'],
  ['abort', 'abort'],
])

const actions: ReadonlyMap<unknown, ApprovalDecision> = new Map([
  ['accept', 'approved'],
  ['decline', 'denied'],
  ['cancel', 'denied'],
])

/**
 * Reads an answer of either form, `{decision}` or MCP's `{action, content}`. Anything but an explicit approval denies;
 * of two different decisions the stricter holds.
 */
export function readAnswer(result: unknown): ElicitedAnswer {
  if (!isRecord(result)) return denied
  const { action, content } = result
  const words = [
    ...decisionIn(decisions, result, 'decision'),
    ...decisionIn(actions, result, 'action'),
    ...(action === 'accept' && isRecord(content) ? decisionIn(decisions, content, 'decision') : []),
  ]
  const no = words.find((word) => word === 'abort') ?? words.find((word) => word === 'denied')
  if (no !== undefined) return { decision: no }
  if (words.length === 0) return denied
  const decision = words.includes('approvedForSession') ? 'approvedForSession' : 'approved'
  return isRecord(content) ? { decision, answers: answersIn(content) } : { decision }
}

/** Returns the decision under a key: an empty list when it is absent, `denied` when it is unknown. */
function decisionIn(
  known: ReadonlyMap<unknown, ApprovalDecision>,
  source: Readonly<Record<string, unknown>>,
  key: string,
): readonly ApprovalDecision[] {
  return source[key] === undefined ? [] : [known.get(source[key]) ?? 'denied']
}

/** Returns the values of a filled in form. */
export function answersIn(content: Readonly<Record<string, unknown>>): Answers {
  const answers: Answers = {}
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') answers[name] = value
    if (Array.isArray(value)) answers[name] = value.map(String)
  }
  return answers
}

/**
 * Returns an offered decision. Approval for the session becomes approval for this call where only that is offered; any
 * other decision denies.
 */
export function offeredDecision(decision: ApprovalDecision, among: readonly ApprovalDecision[]): ApprovalDecision {
  if (among.includes(decision)) return decision
  return decision === 'approvedForSession' && among.includes('approved') ? 'approved' : 'denied'
}
