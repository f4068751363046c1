import type { ConversationId } from '@parley/protocol'

/** Tool server that an editor hands over with a session. */
export interface EditorServer {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Tool server of an editor as it would be started, with the user's decision about exactly this launch. */
export interface OfferedServer {
  /** Name that is unique in the session and fits into the names of tools. */
  readonly name: string
  readonly words: readonly string[]
  /** Folder that it is started in. */
  readonly folder: string
  /** Names of its variables; `NAME=VALUE` where a yes is to the value, too. */
  readonly variables: readonly string[]
  /** Sentence that describes its limits. */
  readonly limits: string
  /** Hash that an answer is bound to. */
  readonly hash: string
  /** `open`: nobody has said anything of it. */
  readonly state: 'open' | 'started' | 'declined'
}

export type EditorServersOffer =
  /** No server is started; the reason is the end of a sentence. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'offered'
      readonly servers: readonly OfferedServer[]
      /** Sentences about the servers that cannot be started. */
      readonly problems: readonly string[]
    }

/** Tool servers that the editor of a session hands over. */
export interface EditorServers {
  /**
   * Redacts the values of the servers' variables from now on, starts the servers that the user has allowed, and reports
   * the result for the others. The same servers may be offered again, since the settings of the conversation change.
   */
  offer(conversationId: ConversationId, servers: readonly EditorServer[]): Promise<EditorServersOffer>
  /** Keeps an answer about the server that was shown. A yes starts the server. */
  decide(conversationId: ConversationId, shown: OfferedServer, verdict: 'trusted' | 'declined'): Promise<void>
  /** Ends the servers of a session. */
  withdraw(conversationId: ConversationId): Promise<void>
}

/** Texts of files as the editors of clients hold them, which may not be saved. */
export interface EditorTexts {
  /** Resolves to the text of a file; to null where no editor answers in time, or without an error. Never rejects. */
  read(conversationId: ConversationId, path: string, signal: AbortSignal): Promise<string | null>
}
