import type { Client } from '@parley/client/browser'
import type { CompletedItem, ConversationId, ConversationState } from '@parley/protocol'
import { useMemo, useState } from 'react'
import { errorWords } from '../../words/words.ts'
import { entriesOf } from './entries.ts'
import { ItemEntry } from './item-entry.tsx'
import { OpenEntry } from './open-entry.tsx'

interface TranscriptProps {
  readonly state: ConversationState
  readonly client: Client | null
  readonly onProblem: (problem: string) => void
}

const pageSize = 100

/** All that was said and done, oldest first; earlier items are fetched when asked for. */
export function Transcript({ state, client, onProblem }: TranscriptProps) {
  const { core, window } = state
  const { conversationId } = core.meta
  const [earlier, setEarlier] = useState<readonly CompletedItem[]>([])
  const items = useMemo(() => withoutRepeats([...earlier, ...window]), [earlier, window])
  const entries = useMemo(() => entriesOf(items), [items])
  const hidden = core.counts.items - items.length
  const more = async () => {
    if (client === null) return
    try {
      const page = await readBefore(client, conversationId, items[0]?.seq)
      setEarlier((known) => [...page, ...known])
    } catch (error) {
      onProblem(errorWords(error))
    }
  }
  return (
    <div className="transcript">
      {hidden > 0 ? (
        <button type="button" className="earlier" disabled={client === null} onClick={() => void more()}>
          Show {Math.min(hidden, pageSize)} of {hidden} earlier entries
        </button>
      ) : null}
      <ol>
        {entries.map((entry) =>
          entry.kind === 'item' ? (
            <li key={entry.completed.item.id}>
              <ItemEntry item={entry.completed.item} />
            </li>
          ) : (
            <li key={entry.key} className="look-ups muted">
              Looked at {[...new Set(entry.words)].join(' · ')}
            </li>
          ),
        )}
        {Object.values(core.open).map((open) => (
          <li key={open.item.id}>
            <OpenEntry open={open} />
          </li>
        ))}
      </ol>
    </div>
  )
}

async function readBefore(
  client: Client,
  conversationId: ConversationId,
  before: number | undefined,
): Promise<readonly CompletedItem[]> {
  const request = { conversationId, limit: pageSize, ...(before === undefined ? {} : { before }) }
  return (await client.request('conversation/read', request)).items
}

/** The window moves on while earlier items are kept, so both may have the same. */
function withoutRepeats(items: readonly CompletedItem[]): readonly CompletedItem[] {
  const bySeq = new Map(items.map((completed) => [completed.seq, completed]))
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}
