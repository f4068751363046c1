import type { FoundLog } from '@parley/journal'
import type { ConversationId, ResultOf } from '@parley/protocol'

export type SearchExcerpt = ResultOf<'conversation/search'>['found'][number]['excerpt']

/** Conversations with the words of a search, and the number of conversations that the index lacks. */
export interface FoundTexts {
  readonly logs: readonly FoundLog[]
  readonly unread: number
  readonly leftOut: number
}

/** Search over the texts of all conversations of a home. Rejects with `StorageError` where its index cannot be kept. */
export interface TextSearch extends AsyncDisposable {
  /** Finds conversations. `waitMs`: time to read new lines first; after it the rest is read in the background. */
  find(query: string, waitMs: number): Promise<FoundTexts>
  /** Reads the places of found logs; null for one that does not have the words any more. */
  excerpts(found: readonly FoundLog[]): Promise<readonly (SearchExcerpt | null)[]>
  /** Takes a deleted conversation out of the index; does nothing where there is no index. */
  forget(id: ConversationId): Promise<void>
}
