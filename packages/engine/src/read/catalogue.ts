import { LOG_FORMAT } from '@parley/journal'
import type { Access, ConversationId, ConversationState, ListedConversation, Rights } from '@parley/protocol'
import { withoutUndefined } from '@parley/text'

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
  /** Users and links that reach it; absent where no server with users had it. */
  readonly access?: Access
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
  /** Resolves to the row of a conversation; null when it does not exist or cannot be listed. */
  row(conversationId: ConversationId): Promise<ConversationRow | null>
  has(conversationId: ConversationId): Promise<boolean>
  /** Resolves to the test if it has a conversation; null where it has all. */
  among(): Promise<((conversationId: ConversationId) => boolean) | null>
  /** Returns the process that has a listed conversation open, as a hint; null without one. */
  live(listed: Listed): LiveOwner | null
}

export function rowOf({ core }: ConversationState): ConversationRow {
  const { cwd, title, name, createdAt, archived, forkedFrom, access } = core.meta
  const where = { cwd, environment: core.settings.environment ?? null }
  const facts = { title, name, createdAt, archived, forkedFrom, minReader: LOG_FORMAT }
  return { ...where, ...facts, ...withoutUndefined({ access }) }
}

/** Returns the part of a catalogue that a client may read: for it, the rest is not there. */
export function readableCatalogue(catalogue: Catalogue, rights: Rights): Catalogue {
  if (rights.person.kind === 'operator') return catalogue
  const mayRead = (conversationId: ConversationId, { access }: ConversationRow) =>
    rights.permits('read', { conversationId, access })
  const all = async () => (await catalogue.all()).filter(({ id, row }) => mayRead(id, row))
  const row = async (conversationId: ConversationId) => {
    const found = await catalogue.row(conversationId)
    return found !== null && mayRead(conversationId, found) ? found : null
  }
  return {
    all,
    ids: async () => (await all()).map(({ id }) => id),
    row,
    has: async (conversationId) => (await row(conversationId)) !== null,
    async among() {
      const found = new Set((await all()).map(({ id }) => id))
      return (conversationId) => found.has(conversationId)
    },
    live: (listed) => catalogue.live(listed),
  }
}

export function isRow(value: unknown): value is ConversationRow {
  return typeof value === 'object' && value !== null && 'cwd' in value && 'title' in value && 'archived' in value
}
