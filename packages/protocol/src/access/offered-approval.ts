import { isStricterSandbox } from '../modes/setting-names.ts'
import type { Person } from '../schema/access.ts'
import type { Approval } from '../schema/approval.ts'

/** Cache of the approvals that `offeredTo` has changed. */
const offered = new WeakMap<Approval, Approval>()

/** Returns an approval without the answers that exceed the person's sandbox mode, with the reason for their absence. */
export function offeredTo(person: Person | undefined, approval: Approval): Approval {
  const { reaches } = approval
  const most = person?.kind === 'user' ? person.maxSandbox : undefined
  if (most === undefined || reaches === undefined || !isStricterSandbox(most, reaches)) return approval
  const known = offered.get(approval) ?? withoutYes(approval, `you may use ${most} at most, and a yes gives ${reaches}`)
  offered.set(approval, known)
  return known
}

function withoutYes({ forSession: _session, always: _always, ...approval }: Approval, why: string): Approval {
  const decisions = approval.decisions.filter((decision) => decision === 'denied' || decision === 'abort')
  return { ...approval, decisions, reason: `${approval.reason}; ${why}` }
}
