import { setTimeout as delay } from 'node:timers/promises'
import { limitConcurrency } from '@parley/host'
import { StorageError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { Catalogue } from './catalogue.ts'

/** Number of logs that are fetched at once: a search must not delay clients that open a conversation. */
const atOnce = 4

/** Copies of conversations that other servers of a store wrote, for readers of all conversations. */
export interface TeamCopies {
  /**
   * Brings the copies of all conversations of a catalogue up to date, the newest first, and goes on after `waitMs`.
   * Resolves to the number of outdated copies.
   */
  bring(catalogue: Pick<Catalogue, 'all' | 'live'>, waitMs: number): Promise<number>
}

/** `refresh` brings one copy up to date. */
export function createTeamCopies(refresh: (conversationId: ConversationId) => Promise<unknown>): TeamCopies {
  /** Time of the last change in lists of each copy when it was brought up to date; null while a server writes it. */
  const updatedAt = new Map<ConversationId, number | null>()
  const coming = new Map<ConversationId, Promise<boolean>>()
  const inTurn = limitConcurrency(atOnce)

  /** Resolves to false where the store is in trouble: the next search asks again. */
  async function updateOne(id: ConversationId, changedAtMs: number | null): Promise<boolean> {
    try {
      await inTurn(() => refresh(id))
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      // A log that the store has lost is not requested again until it changes.
      if (error.retryable) return false
    }
    updatedAt.set(id, changedAtMs)
    return true
  }

  function begin(id: ConversationId, changedAtMs: number | null): Promise<boolean> {
    const known = coming.get(id)
    if (known !== undefined) return known
    const update = updateOne(id, changedAtMs).finally(() => coming.delete(id))
    coming.set(id, update)
    return update
  }

  return {
    async bring(catalogue, waitMs) {
      const left = new Set<ConversationId>()
      const all = (await catalogue.all()).flatMap((listed) => {
        const { id } = listed
        // Its last lines come after the row that lists show.
        const changedAtMs = catalogue.live(listed) === null ? listed.modifiedAtMs : null
        const last = updatedAt.get(id)
        if (last !== undefined && last !== null && last === changedAtMs) return []
        if (last === undefined || changedAtMs !== null) left.add(id)
        return [begin(id, changedAtMs).then((isUpdated) => void (isUpdated ? left.delete(id) : left.add(id)))]
      })
      const waited = new AbortController()
      await Promise.race([Promise.all(all), delay(waitMs, undefined, { signal: waited.signal }).catch(() => undefined)])
      waited.abort()
      return left.size
    },
  }
}
