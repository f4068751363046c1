import type { Files } from '@parley/journal'
import type { StoredLists, StoredRow } from '../ports/shared-store.ts'
import { type Catalogue, isRow, type LiveOwner } from '../read/catalogue.ts'
import { localCatalogue } from '../read/local-catalogue.ts'

/** Returns the catalogue of the conversations in a store; without a store, of those on this machine. */
export function catalogueIn(lists: StoredLists | null, files: Files, home: string): Catalogue {
  return lists === null ? localCatalogue(files, home) : sharedCatalogue(lists)
}

function sharedCatalogue(lists: StoredLists): Catalogue {
  let owners: ReadonlyMap<string, LiveOwner> = new Map()
  return {
    async all() {
      const rows = await lists.rows()
      owners = new Map(rows.flatMap(ownerOf))
      const listed = rows.flatMap(({ conversationId: id, updatedAtMs: modifiedAtMs, row }) =>
        isRow(row) ? [{ id, modifiedAtMs, row }] : [],
      )
      return listed.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs)
    },
    ids: async () => (await lists.rows()).map(({ conversationId }) => conversationId),
    async row(conversationId) {
      const row = await lists.row(conversationId)
      return isRow(row) ? row : null
    },
    has: async (conversationId) => (await lists.row(conversationId)) !== null,
    among: async () => null,
    live: ({ id }) => owners.get(id) ?? null,
  }
}

function ownerOf({ conversationId, holder }: StoredRow): [string, LiveOwner][] {
  if (holder === null) return []
  const { pid, address } = holder
  return [[conversationId, { pid, socket: null, ...(address === null ? {} : { address }) }]]
}
