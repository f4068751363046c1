import type { Composer } from '@parley/presentation/composer/composer'
import type { ConversationId, ListedConversation } from '@parley/protocol'

/** State of the list of conversations beyond the state of a menu. */
export interface Picker {
  /** True while the archived conversations are listed in place of the others. */
  readonly isArchived: boolean
  /** Change of the chosen conversation that Enter makes; null while Enter opens it. */
  readonly doing: PickerChange | null
  /** Conversations with the words of the filter in their texts; null before an answer. */
  readonly found: FoundPlaces | null
  /** Words that the server is asked for; null while it is not. */
  readonly seeking: string | null
}

/** A name is written in place of the filter, which is kept meanwhile. */
export type PickerChange = { readonly kind: 'delete' } | { readonly kind: 'rename'; readonly filter: Composer }

interface FoundPlaces {
  readonly query: string
  /** Line that shows the newest place, by conversation. */
  readonly places: Readonly<Record<ConversationId, string>>
}

export const newPicker: Picker = { isArchived: false, doing: null, found: null, seeking: null }

/** Conversation with the words in its text, and the line with the newest match. */
export interface FoundConversation {
  readonly listed: ListedConversation
  readonly place: string
}

/** Change of a listed conversation, which need not be open. */
export type ListedChange =
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'archive' | 'unarchive' | 'delete' }

/** Letters from which on texts are searched: shorter filters fit almost all of them. */
const soughtLetters = 2

/** Returns the words to ask the server for; null where there is nothing new to ask, or an answer is to come first. */
export function wordsToSeek({ seeking, found }: Picker, filter: string): string | null {
  const query = filter.trim()
  if (seeking !== null || query.length < soughtLetters || found?.query === query) return null
  return query
}

/** Returns the newest place in a conversation with the words of the filter; null without a match. */
export function placeOf(picker: Picker | null, id: ConversationId | undefined, filter: string): string | null {
  const { found } = picker ?? newPicker
  if (found === null || id === undefined || found.query !== filter.trim()) return null
  return found.places[id] ?? null
}
