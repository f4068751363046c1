import type { Answers, ApprovalDecision } from '@parley/protocol'

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
