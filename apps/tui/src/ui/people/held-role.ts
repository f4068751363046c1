import { type ConversationState, ownersOf, personMay } from '@parley/protocol'
import type { HeldRole, Opened } from '../link/link.ts'

/** Returns true for a window that neither sends nor answers. */
export function onlyReads(opened: Opened | null): boolean {
  return opened?.readOnly === true || opened?.heldTo === 'reader' || opened?.heldTo === 'none'
}

/** Returns true for a window that may send, stop and change settings. */
export function maySend(opened: Opened | null): boolean {
  return !onlyReads(opened) && opened?.heldTo !== 'approver'
}

/** Returns the open conversation with the role that its state gives the user now. */
export function followRole(opened: Opened, { core }: ConversationState): Opened {
  const { heldTo: before, ...rest } = opened
  // The state is as it was before.
  if (before === 'none') return opened
  const heldTo = heldRole(opened, core.meta)
  if (heldTo === before) return opened
  return heldTo === undefined ? rest : { ...rest, heldTo }
}

function heldRole({ person }: Opened, { access }: ConversationState['core']['meta']): HeldRole | undefined {
  if (person === undefined || personMay(person, 'edit', access)) return undefined
  return personMay(person, 'answer', access) ? 'approver' : 'reader'
}

const forkHint = '/fork goes on in a copy'

/** Words about each role: for the empty composer as far as they fit, and for what was refused. */
export const heldWords: Readonly<Record<HeldRole, { readonly brief: readonly string[]; readonly whole: string }>> = {
  reader: {
    brief: ['you may read this conversation', forkHint],
    whole: 'You may read this conversation (reader): an owner can change that, and /fork goes on in a copy',
  },
  approver: {
    brief: ['you may answer questions, not send', forkHint],
    whole:
      'You may answer the questions of this conversation, not send (approver): an owner can change that, and /fork goes on in a copy',
  },
  none: {
    brief: ['you have no role here any more', '/new begins another'],
    whole:
      'You have no role in this conversation any more: an owner can give you one, and /resume opens it then. /new begins another',
  },
}

/** Returns the sentence for a window whose conversation is not there any more for its user. */
export function takenAwayWords(state: ConversationState | null): string {
  const owners = ownersOf(state?.core.meta.access).join(' or ')
  const whom = owners === '' ? 'an owner' : owners
  return `This conversation was taken away from you, the link to it has expired, or it was deleted. Ask ${whom} for a role; /resume opens it then. What is shown is all there is.`
}
