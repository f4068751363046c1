import type { Approval } from '../schema/approval.ts'
import type { DecisionRecord } from '../schema/call-parts.ts'
import type { EventOf } from '../schema/event.ts'
import type { ItemId } from '../schema/ids.ts'
import type { ConversationCore } from '../schema/state.ts'

export function reduceApproval(
  core: ConversationCore,
  event: EventOf<'approval.requested' | 'approval.decided'>,
): ConversationCore {
  return event.type === 'approval.requested' ? request(core, event) : decide(core, event)
}

/** Adds an approval. A call has one at most: an earlier approval must not answer a later question. */
function request(core: ConversationCore, { approval }: EventOf<'approval.requested'>): ConversationCore {
  const others = approvalsWithout(core.approvals, approval.itemId)
  const approvals = { ...others, [approval.id]: { ...approval, state: 'pending' as const } }
  const asked = { ...core, approvals, open: withoutAskedHooks(core.open, approval.itemId) }
  return withItemStatus(asked, approval.itemId, 'awaitingApproval')
}

/** Returns the open items without the ended hooks of an earlier question about the call. */
function withoutAskedHooks(open: ConversationCore['open'], itemId: ItemId): ConversationCore['open'] {
  const before = valueAt(open, itemId)
  if (before?.askedHooks === undefined) return open
  const { askedHooks: _, ...asked } = before
  return { ...open, [itemId]: asked }
}

export function approvalsWithout(
  approvals: ConversationCore['approvals'],
  itemId: ItemId,
): ConversationCore['approvals'] {
  const found = Object.values(approvals).filter((approval) => approval.itemId === itemId)
  return found.length === 0 ? approvals : found.reduce((rest, approval) => without(rest, approval.id), approvals)
}

/** Applies a decision. The call behind an elicitation keeps running, whatever the answer. */
function decide(core: ConversationCore, event: EventOf<'approval.decided'>): ConversationCore {
  const approval = valueAt(core.approvals, event.approvalId)
  if (approval === undefined) return core
  const rest = without(core.approvals, event.approvalId)
  const turn = core.turn?.id === approval.turnId ? { ...core.turn, parked: false } : core.turn
  if (approval.kind === 'elicitation')
    return withItemStatus({ ...core, turn, approvals: rest }, approval.itemId, 'inProgress')
  if (!permits(event.decision)) return withItemStatus({ ...core, turn, approvals: rest }, approval.itemId, 'denied')
  const approved = {
    ...approval,
    state: 'approved' as const,
    decision: event.decision,
    by: event.by,
    ...(event.scope === undefined ? {} : { scope: event.scope }),
    ...(event.note === undefined ? {} : { note: event.note }),
    ...(event.answers === undefined ? {} : { answers: event.answers }),
    ...(event.seal === undefined ? {} : { seal: event.seal }),
  }
  return { ...core, turn, approvals: { ...rest, [event.approvalId]: approved } }
}

/** Returns the approvals that wait for an answer, oldest first. */
export function unansweredApprovals({ approvals }: Pick<ConversationCore, 'approvals'>): readonly Approval[] {
  return Object.values(approvals).filter(({ state }) => state === 'pending')
}

/** Tests if an answer lets the call run. */
export function permits(decision: EventOf<'approval.decided'>['decision']): boolean {
  return decision === 'approved' || decision === 'approvedForSession' || decision === 'approvedAlways'
}

function withItemStatus(
  core: ConversationCore,
  itemId: ItemId,
  status: 'awaitingApproval' | 'denied' | 'inProgress',
): ConversationCore {
  const open = valueAt(core.open, itemId)
  if (open === undefined) return core
  return { ...core, open: { ...core.open, [itemId]: { ...open, item: { ...open.item, status } } } }
}

/** Returns the record of a decision that a user's answer took, without the limits of what runs. */
export function answeredDecision({ rule, reason, id, decision, scope, by, note }: Approval): DecisionRecord {
  return {
    verdict: 'ask',
    rule,
    reason,
    approvalId: id,
    ...(decision === undefined ? {} : { answer: decision }),
    ...(scope === undefined ? {} : { scope }),
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
  }
}

/** Returns the value of an own key: ids come from a log, and one may be named `constructor`. */
export function valueAt<Key extends string, Value>(
  record: Readonly<Record<Key, Value>>,
  key: NoInfer<Key>,
): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Removes a key. Returns the same record when it has no such key, so that its identity is kept. */
export function without<Key extends string, Value>(record: Record<Key, Value>, key: NoInfer<Key>): Record<Key, Value> {
  if (!Object.hasOwn(record, key)) return record
  const rest = { ...record }
  Reflect.deleteProperty(rest, key)
  return rest
}
