import { LOG_FORMAT } from '@parley/journal'
import type { ConversationId, ConversationState, ListedConversation } from '@parley/protocol'

/** Facts about a conversation that a list shows and a search looks at. */
export interface ConversationRow {
  readonly cwd: string
  /** Environment that `cwd` is a folder of; null for this machine. */
  readonly environment: string | null
  readonly title: string
  readonly name: string | null
  readonly createdAt: number
  readonly archived: boolean
  readonly forkedFrom: ListedConversation['forkedFrom']
  /** Lowest log format that a program must know to go on in it. */
  readonly minReader: number
}

/** A conversation in a catalogue. */
export interface Listed {
  readonly id: ConversationId
  readonly modifiedAtMs: number
  readonly row: ConversationRow
}

export type LiveOwner = NonNullable<ListedConversation['live']>

/** Knows which conversations there are. */
export interface Catalogue {
  /** Resolves to all of them, the one written last first. */
  all(): Promise<readonly Listed[]>
  ids(): Promise<readonly ConversationId[]>
  has(conversationId: ConversationId): Promise<boolean>
  /** Returns the process that has a listed conversation open, as a hint; null for none. */
  live(listed: Listed): LiveOwner | null
}

/** Returns the row of an open conversation. */
export function rowOf({ core }: ConversationState): ConversationRow {
  const { cwd, title, name, createdAt, archived, forkedFrom } = core.meta
  return {
    cwd,
    environment: core.settings.environment ?? null,
    title,
    name,
    createdAt,
    archived,
    forkedFrom,
    minReader: LOG_FORMAT,
  }
}

export function isRow(value: unknown): value is ConversationRow {
  return typeof value === 'object' && value !== null && 'cwd' in value && 'title' in value && 'archived' in value
}
