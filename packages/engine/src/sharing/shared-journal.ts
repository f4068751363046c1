import type { ConversationState } from '@parley/protocol'
import { isRecord } from '@parley/text'
import type { Journal } from '../conversation/journal.ts'
import type { Shipment } from '../ports/shared-store.ts'
import { type ConversationRow, rowOf } from '../read/catalogue.ts'

interface SharedParts {
  readonly shipment: Shipment
  /** Returns what people gave the conversation, for the next server; null for nothing. */
  readonly grants: () => object | null
  /** State of the conversation when it was loaded. */
  readonly state: ConversationState
}

/**
 * Returns a journal that sends its lines to a store, too: lines are shown once the store has acknowledged them. While
 * the store takes nothing, the journal takes nothing either.
 */
export function shareJournal(journal: Journal, { shipment, grants, state: loaded }: SharedParts): Journal {
  const describedAs = (state: ConversationState): Described => ({
    row: rowOf(state),
    turn: state.core.turn?.id ?? null,
    given: grants(),
  })
  const { sizeBytes } = journal
  // Many conversations of a dead server may be taken at once; the store already has their facts for lists.
  const opened = describedAs(loaded)
  let described = JSON.stringify(shipment.row) === JSON.stringify(storedRow(opened)) ? opened : null

  function assertTaking(): void {
    if (shipment.trouble !== null) throw shipment.trouble
  }

  return {
    linesAfter: journal.linesAfter,
    crcOf: journal.crcOf,
    held: journal.held,
    sizeBytes,
    assertStored: journal.assertStored,
    settled: journal.settled,
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
      const now = describedAs(state)
      if (described !== null && isSame(described, now)) return
      described = now
      shipment.describe(storedRow(now))
      // A log that was written as a whole, like the log of a fork, is sent from here on.
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

interface Described {
  readonly row: ConversationRow
  readonly turn: string | null
  readonly given: object | null
}

/** Returns the row as the store keeps it. */
function storedRow({ row, given }: Described): object {
  return given === null ? row : { ...row, given }
}

/** Returns what people gave a conversation, as its row in the store carries it. */
export function grantsIn(row: unknown): unknown {
  return isRecord(row) ? row['given'] : undefined
}

/** Tells if a store has the same to keep of both. */
function isSame({ row, turn, given }: Described, { row: other, ...now }: Described): boolean {
  const { title, name, archived, cwd, access } = row
  return (
    turn === now.turn &&
    given === now.given &&
    title === other.title &&
    name === other.name &&
    archived === other.archived &&
    cwd === other.cwd &&
    access === other.access
  )
}
