import type { Client } from '@parley/client/browser'
import type { CompletedItem, ConversationId, ConversationState } from '@parley/protocol'
import { useMemo, useRef, useState } from 'react'

/** Finished items of a conversation; the newest are there at once. */
export interface Items {
  /** Oldest first. */
  readonly items: readonly CompletedItem[]
  /** Number of items before them. */
  readonly hidden: number
  /** Reads a page of earlier items. Resolves to it; empty without a link or earlier items. */
  readonly more: () => Promise<readonly CompletedItem[]>
}

/** Most items of a page. */
export const pageSize = 100

/** Number of window items that are kept beside the loaded pages. */
const keptItems = 2_000

/** Keeps the items that were shown or read, as the window of the state moves on: somebody may be reading them. */
export function useItems({ core, window }: ConversationState, client: Client | null): Items {
  const { conversationId } = core.meta
  const [earlier, setEarlier] = useState<readonly CompletedItem[]>([])
  const seen = useRef<readonly CompletedItem[]>([])
  // A search reads page after page, faster than they are shown.
  const oldest = useRef<number | null>(null)
  const items = useMemo(() => {
    seen.current = withoutRepeats([...earlier, ...seen.current, ...window]).slice(-keptItems - earlier.length)
    oldest.current = seen.current[0]?.seq ?? null
    return seen.current
  }, [earlier, window])
  return {
    items,
    hidden: core.counts.items - items.length,
    async more() {
      if (client === null) return []
      const page = await readBefore(client, conversationId, oldest.current)
      oldest.current = page[0]?.seq ?? oldest.current
      setEarlier((known) => [...page, ...known])
      return page
    },
  }
}

async function readBefore(
  client: Client,
  conversationId: ConversationId,
  before: number | null,
): Promise<readonly CompletedItem[]> {
  const request = { conversationId, limit: pageSize, ...(before === null ? {} : { before }) }
  return (await client.request('conversation/read', request)).items
}

/** Joins read and shown items, each once. */
function withoutRepeats(items: readonly CompletedItem[]): readonly CompletedItem[] {
  const bySeq = new Map(items.map((completed) => [completed.seq, completed]))
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}
