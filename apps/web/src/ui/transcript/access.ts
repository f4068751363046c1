import type { Client } from '@parley/client/browser'
import type { CompletedItem, ConversationId, samePlace } from '@parley/protocol'
import { createContext, useContext } from 'react'

/** Ways from an entry of the transcript to its conversation. */
export interface EntryContext {
  /** Connection; null while there is no link. */
  readonly client: Client | null
  readonly conversationId: ConversationId
  readonly onProblem: (problem: string) => void
  /** Folder of the conversation, with its machine. */
  readonly place: ReturnType<typeof samePlace>
  /** Shows what going back would change; null where nothing may be changed. */
  readonly goBack: GoBack | null
}

/** Point to go back to: before a message, or after an event. */
export type BackPoint = CompletedItem | { readonly to: number }

/** Shows what going back to a point would change; null asks first to before which message. */
export type GoBack = (point: BackPoint | null) => void

/** Access to the conversation around an entry; null in a document, which has no connection. */
export const AccessContext = createContext<EntryContext | null>(null)

export function useAccess(): EntryContext | null {
  return useContext(AccessContext)
}
