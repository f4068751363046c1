import { type ConversationState, ownersOf, type Person, personMay, roleOf } from '@parley/protocol'

/** Rights of this page in a conversation. */
export interface May {
  readonly answer: boolean
  readonly edit: boolean
  /** May go on in a copy, which then is its own. */
  readonly copy: boolean
}

interface PageVisitor {
  readonly person: Person | undefined
  /** True for a page that only watches, and for a conversation that cannot be written here. */
  readonly isView: boolean
  /** True once the conversation was taken away. */
  readonly isTakenAway: boolean
}

/** Returns the actions that the page may take in a conversation. */
export function mayIn({ core: { meta } }: ConversationState, { person, isView, isTakenAway }: PageVisitor): May {
  const may = (right: 'answer' | 'edit') => !isView && !isTakenAway && personMay(person, right, meta.access)
  const maySend = may('edit')
  const mayCopy = person === undefined ? maySend : person.kind === 'user' && !isTakenAway
  return { answer: may('answer'), edit: maySend, copy: mayCopy }
}

const roleWords = {
  reader: 'You may read this conversation',
  approver: 'You may read this conversation and answer its questions',
}

/** Says why a user has nothing to write in; null where the role is not why. */
export function roleSentence(person: Person | undefined, { core: { meta } }: ConversationState): string | null {
  if (person?.kind !== 'user') return null
  const role = roleOf(meta.access, person.name)
  if (role !== 'reader' && role !== 'approver') return null
  return `${roleWords[role]} (${role}). An owner can change that: ${ownersOf(meta.access).join(', ')}.`
}
