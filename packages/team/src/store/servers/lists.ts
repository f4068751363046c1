import type { StoredRow } from '@parley/engine/shared-store'
import type { ConversationId } from '@parley/protocol'
import { isRecord } from '@parley/text'
import { askAgain } from '../connection/ask-again.ts'
import { entriesOf, isThere } from '../connection/bucket-entries.ts'
import type { Prepared } from '../connection/prepare-store.ts'
import type { Nodes } from './nodes.ts'

/** Rows that lists show of the conversations of a store. */
export interface Lists {
  isListed(conversationId: ConversationId): Promise<boolean>
  /** Resolves to the facts of one; null where there is no such conversation. */
  row(conversationId: ConversationId): Promise<unknown>
  all(): Promise<readonly StoredRow[]>
  /** Resolves to the deleted conversations: their entries say so. Lost conversations have no entries any more. */
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
      for (const [key, entry] of await entriesOf(owners)) if (isThere(entry)) holders.set(key, entry.string())
      const found: StoredRow[] = []
      for (const [key, entry] of await entriesOf(rows)) {
        const stored = isThere(entry) ? storedRow(entry.value) : null
        const holder = living.get(holders.get(key) ?? '') ?? null
        if (stored !== null) found.push({ conversationId: key, ...stored, holder })
      }
      return found
    },
    async deleted() {
      const entries = [...(await entriesOf(rows)).values()]
      return entries.flatMap(({ key, operation }) => (operation === 'DEL' ? [key] : []))
    },
  }
}

/** Reads an entry of the bucket of rows; null where it does not have the form of a row. */
function storedRow(value: Uint8Array): Pick<StoredRow, 'updatedAtMs' | 'row'> | null {
  const stored: unknown = JSON.parse(Buffer.from(value).toString())
  if (!isRecord(stored) || typeof stored['updatedAtMs'] !== 'number') return null
  return { updatedAtMs: stored['updatedAtMs'], row: stored['row'] }
}
