import type { Shipment } from '@parley/store'
import type { Journal } from '../conversation/journal.ts'
import { type ConversationRow, rowOf } from '../read/catalogue.ts'

interface SharedParts {
  readonly shipment: Shipment
  /** Returns the size of the log. */
  readonly sizeBytes: () => number
}

/**
 * Returns a journal that a store has, too: what it holds is shown once the store has acknowledged it. While the store
 * takes nothing, neither does the journal.
 */
export function shareJournal(journal: Journal, { shipment, sizeBytes }: SharedParts): Journal {
  let described: { readonly row: ConversationRow; readonly turn: string | null } | null = null

  function assertTaking(): void {
    if (shipment.trouble !== null) throw shipment.trouble
  }

  return {
    ...journal,
    append(lines) {
      assertTaking()
      const place = journal.append(lines)
      shipment.wrote(sizeBytes())
      return place
    },
    probe() {
      assertTaking()
      journal.probe()
    },
    async synced() {
      await Promise.all([journal.synced(), shipment.acknowledged(sizeBytes())])
    },
    stuck: () => journal.stuck() ?? shipment.trouble,
    mayAct: shipment.mayAct,
    shown: () => shipment.acknowledged(sizeBytes()),
    describe(state) {
      const now = { row: rowOf(state), turn: state.core.turn?.id ?? null }
      if (described !== null && described.turn === now.turn && isSame(described.row, now.row)) return
      described = now
      shipment.describe(now.row)
      // A log that was written as a whole, as that of a fork, is sent from here on.
      shipment.wrote(sizeBytes())
    },
    async close(content) {
      try {
        await journal.close(content)
      } finally {
        await shipment.close()
      }
    },
  }
}

/** Tells if lists show the same of both. */
function isSame(one: ConversationRow, other: ConversationRow): boolean {
  const { title, name, archived, cwd, access } = one
  return (
    title === other.title &&
    name === other.name &&
    archived === other.archived &&
    cwd === other.cwd &&
    access === other.access
  )
}
