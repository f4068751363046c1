import { type ConversationState, endedAccess, type Person, personMay } from '@parley/protocol'
import type { HeldRole, OpenedWindow } from '../link/link.ts'

/** Returns true for a window that neither sends nor answers. */
export function onlyReads(opened: OpenedWindow | null): boolean {
  return opened?.readOnly === true || opened?.heldTo === 'reader' || opened?.heldTo === 'none'
}

/** Returns true for a window that may send, stop and change settings. */
export function maySend(opened: OpenedWindow | null): boolean {
  return !onlyReads(opened) && opened?.heldTo !== 'approver'
}

/** Returns the open conversation with the role that its state gives the user now. */
export function followRole(opened: OpenedWindow, { core }: ConversationState): OpenedWindow {
  const { heldTo: before, ...rest } = opened
  // The state is as it was before.
  if (before === 'none') return opened
  const heldTo = heldRole(opened, core.meta)
  if (heldTo === before) return opened
  return heldTo === undefined ? rest : { ...rest, heldTo }
}

function heldRole({ person }: OpenedWindow, { access }: ConversationState['core']['meta']): HeldRole | undefined {
  if (person === undefined || personMay(person, 'edit', access)) return undefined
  return personMay(person, 'answer', access) ? 'approver' : 'reader'
}

const forkHint = '/fork goes on in a copy'

/** Words for the empty composer as far as they fit, and for a rejected text. */
interface HeldWords {
  readonly brief: readonly string[]
  readonly whole: string
}

/** Returns the words about the role that holds a window; a guest has a link in place of a role, and no copies. */
export function heldWords(heldTo: HeldRole, person: Person | undefined): HeldWords {
  return person?.kind === 'guest' ? linkWords[heldTo === 'none' ? 'none' : 'reader'] : roleWords[heldTo]
}

const linkWords: Readonly<Record<'reader' | 'none', HeldWords>> = {
  reader: { brief: ['you may read this conversation'], whole: 'A link only lets read this conversation' },
  none: {
    brief: ['the link was revoked or has expired'],
    whole: 'The link to this conversation was revoked or has expired, so nothing can be sent or read',
  },
}

const roleWords: Readonly<Record<HeldRole, HeldWords>> = {
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

/** Returns the sentence for a conversation that is not there any more for the window's person. */
export function takenAwayWords(person: Person | undefined, state: ConversationState | null): string {
  const { whole, ask } = endedAccess(person, state?.core.meta.access)
  if (person?.kind === 'guest') return ask === null ? whole : `${whole} ${ask}.`
  return `${whole} ${ask ?? 'Ask an owner for a role'}; /resume opens it then.`
}
