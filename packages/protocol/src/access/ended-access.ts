import type { Access, Person } from '../schema/access.ts'
import { ownersOf } from './role-rights.ts'

/** Sentences for a person without the right to read a conversation any more. */
export interface EndedAccess {
  /** Reason without facts about the conversation. */
  readonly why: string
  /** Reason, followed by the statement that nothing more is shown. */
  readonly whole: string
  /** Advice whom to ask; null where no owner is known. */
  readonly ask: string | null
}

/** Describes the end of a role to a user, and the end of a link to a guest. */
export function endedAccess(person: Person | undefined, access?: Access): EndedAccess {
  const isGuest = person?.kind === 'guest'
  const [why, whole] = isGuest
    ? [
        'The link to this conversation was revoked or has expired.',
        'The link to this conversation was revoked or has expired, or the conversation was deleted.',
      ]
    : [
        'You have no role in this conversation any more.',
        'You have no role in this conversation any more, or it was deleted.',
      ]
  const owners = ownersOf(access).join(' or ')
  const ask = owners === '' ? null : `Ask ${owners} for ${isGuest ? 'another link' : 'a role'}`
  return { why, whole: `${whole} What is shown here is all there is.`, ask }
}
