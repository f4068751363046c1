import type { KvEntry } from '@nats-io/kv'
import type { ConversationId } from '@parley/protocol'
import { isRecord } from '@parley/text'
import { askAgain } from '../connection/ask-again.ts'
import { entriesOf } from '../connection/bucket-entries.ts'
import type { Prepared } from '../connection/prepare-store.ts'
import type { StoredRow } from '../port/shared-store.ts'
import type { Nodes } from './nodes.ts'

/** Rows that lists show of the conversations of a store. */
export interface Lists {
  isListed(conversationId: ConversationId): Promise<boolean>
  /** Resolves to the facts of one; null where there is no such conversation. */
  row(conversationId: ConversationId): Promise<unknown>
  all(): Promise<readonly StoredRow[]>
  /** Resolves to the conversations that were deleted: their entries say so, and those of what was lost are gone. */
  deleted(): Promise<readonly ConversationId[]>
}

export function createLists({ rows, owners }: Prepared, nodes: Nodes): Lists {
  const entryOf = (conversationId: ConversationId) => askAgain(() => rows.get(conversationId))
  return {
    isListed: async (conversationId) => isThere(await entryOf(conversationId)),
    async row(conversationId) {
      const entry = await entryOf(conversationId)
      return isThere(entry) ? (storedRow(entry.value)?.row ?? null) : null
    },
    async all() {
      const living = await nodes.all()
      const holders = new Map<string, string>()
      for await (const { key, value } of entriesOf(owners)) holders.set(key, Buffer.from(value).toString())
      // By their keys: one that is written during a pass comes again.
      const found = new Map<string, StoredRow>()
      for await (const { key, value } of entriesOf(rows)) {
        const stored = storedRow(value)
        const holder = living.get(holders.get(key) ?? '') ?? null
        if (stored !== null) found.set(key, { conversationId: key, ...stored, holder })
      }
      return [...found.values()]
    },
    async deleted() {
      const found: ConversationId[] = []
      for await (const { key } of entriesOf(rows, 'DEL')) found.push(key)
      return found
    },
  }
}

function isThere(entry: KvEntry | null): entry is KvEntry {
  return entry !== null && entry.operation === 'PUT'
}

/** Reads an entry of the bucket of rows; null for one that is none. */
function storedRow(value: Uint8Array): Pick<StoredRow, 'updatedAtMs' | 'row'> | null {
  const stored: unknown = JSON.parse(Buffer.from(value).toString())
  if (!isRecord(stored) || typeof stored['updatedAtMs'] !== 'number') return null
  return { updatedAtMs: stored['updatedAtMs'], row: stored['row'] }
}
