import type { Answers, ApprovalDecision, ApprovalRequest, Item } from '@parley/protocol'
import type { AskedCommand, AskedPatch, EventMsg } from './event-msg.ts'
import { fileChangesOf, readDiffs } from './file-changes.ts'

/** A question as clients know it: about a command, about a patch, or what a tool's own server wants to know. */
type Question =
  | ({ readonly kind: 'exec' } & AskedCommand)
  | ({ readonly kind: 'patch' } & AskedPatch)
  | { readonly kind: 'form' }

/** Anything that is neither command nor patch is asked like a command, whose words are the tool and what it is given. */
export function questionOf(approval: ApprovalRequest, item: Item | null): Question {
  const { itemId, cwd, kind, command } = approval
  if (kind === 'elicitation') return { kind: 'form' }
  const reason = approval.reason === '' ? {} : { reason: approval.reason }
  if (kind === 'patch')
    return { kind: 'patch', call_id: itemId, changes: fileChangesOf(readDiffs(approval.detail)), ...reason }
  return { kind: 'exec', call_id: itemId, command: command ?? wordsOf(approval, item), cwd, ...reason }
}

function wordsOf({ title }: ApprovalRequest, item: Item | null): readonly string[] {
  return item?.type === 'toolCall' ? [item.tool, item.input] : [title]
}

export function approvalMessage(approval: ApprovalRequest, item: Item | null): EventMsg {
  const { kind, ...asked } = questionOf(approval, item)
  if (kind === 'form') {
    const server = item?.type === 'toolCall' ? (/^mcp__(.+?)__/.exec(item.tool)?.[1] ?? item.tool) : ''
    return { type: 'elicitation_request', id: approval.id, server_name: server, message: approval.title }
  }
  return 'changes' in asked
    ? { type: 'apply_patch_approval_request', ...asked }
    : { type: 'exec_approval_request', ...(asked as AskedCommand) } // narrowed: without changes it is the command's
}

export interface ElicitedAnswer {
  readonly decision: ApprovalDecision
  /** What was filled in, for a form. */
  readonly answers?: Answers
}

const denied: ElicitedAnswer = { decision: 'denied' }

/** Decisions in the words of Codex clients. */
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
 * An answer in either shape, `{decision}` or MCP's `{action, content}`; only a literal yes is a yes. Where both are
 * given and do not agree, the stricter one holds.
 */
export function readAnswer(result: unknown): ElicitedAnswer {
  if (!isRecord(result)) return denied
  const { action, content } = result
  const words = [
    ...wordIn(decisions, result, 'decision'),
    ...wordIn(actions, result, 'action'),
    ...(action === 'accept' && isRecord(content) ? wordIn(decisions, content, 'decision') : []),
  ]
  const no = words.find((word) => word === 'abort') ?? words.find((word) => word === 'denied')
  if (no !== undefined) return { decision: no }
  if (words.length === 0) return denied
  const decision = words.includes('approvedForSession') ? 'approvedForSession' : 'approved'
  return isRecord(content) ? { decision, answers: answersIn(content) } : { decision }
}

/** Absent is nothing; present and not understood is a no. */
function wordIn(
  known: ReadonlyMap<unknown, ApprovalDecision>,
  source: Readonly<Record<string, unknown>>,
  key: string,
): readonly ApprovalDecision[] {
  return source[key] === undefined ? [] : [known.get(source[key]) ?? 'denied']
}

function answersIn(content: Readonly<Record<string, unknown>>): Answers {
  const answers: Answers = {}
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') answers[name] = value
  }
  return answers
}

/** What may be answered here: an approval for the session that is not offered is one for this once. */
export function offered(decision: ApprovalDecision, among: readonly ApprovalDecision[]): ApprovalDecision {
  if (among.includes(decision)) return decision
  return decision === 'approvedForSession' && among.includes('approved') ? 'approved' : 'denied'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
