import { type ConversationState, personMay } from '@parley/protocol'
import type { HeldRole, Opened } from '../link/link.ts'

/** Returns true for a window that neither sends nor answers. */
export function onlyReads(opened: Opened | null): boolean {
  return opened?.readOnly === true || opened?.heldTo === 'reader'
}

/** Returns true for a window that may send, stop and change settings. */
export function maySend(opened: Opened | null): boolean {
  return !onlyReads(opened) && opened?.heldTo !== 'approver'
}

/** Returns the open conversation with the role that its state gives the user now. */
export function followRole(opened: Opened, { core }: ConversationState): Opened {
  const { heldTo: before, ...rest } = opened
  const heldTo = heldRole(opened, core.meta)
  if (heldTo === before) return opened
  return heldTo === undefined ? rest : { ...rest, heldTo }
}

function heldRole({ person }: Opened, { access }: ConversationState['core']['meta']): HeldRole | undefined {
  if (person === undefined || personMay(person, 'edit', access)) return undefined
  return personMay(person, 'answer', access) ? 'approver' : 'reader'
}

/** Words about each role: for the empty composer, and for what was refused. */
export const heldWords: Readonly<Record<HeldRole, { readonly brief: string; readonly whole: string }>> = {
  reader: {
    brief: 'you may read this conversation: /fork goes on in a copy',
    whole: 'You may read this conversation (reader): an owner can change that, and /fork goes on in a copy',
  },
  approver: {
    brief: 'you may answer questions, not send: /fork goes on in a copy',
    whole:
      'You may answer the questions of this conversation, not send (approver): an owner can change that, and /fork goes on in a copy',
  },
}
