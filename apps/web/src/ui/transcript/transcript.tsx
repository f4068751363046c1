import { entriesOf } from '@parley/presentation/items/entries'
import type { ConversationState } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { useMemo } from 'react'
import { Entries } from './entries.tsx'
import { OpenEntry } from './open-entry.tsx'
import { type Items, pageSize } from './use-items.ts'

interface TranscriptProps {
  readonly state: ConversationState
  readonly loaded: Items
  /** False without a link. */
  readonly isUp: boolean
  readonly onProblem: (problem: string) => void
}

/** All that was said and done, oldest first; earlier items are fetched when asked for. */
export function Transcript({ state, loaded: { items, hidden, more }, isUp, onProblem }: TranscriptProps) {
  const entries = useMemo(() => entriesOf(items), [items])
  const showMore = () => more().catch((error: unknown) => onProblem(errorMessage(error)))
  return (
    <div className="transcript">
      {hidden > 0 ? (
        <button type="button" className="earlier" disabled={!isUp} onClick={() => void showMore()}>
          Show {Math.min(hidden, pageSize)} of {hidden} earlier entries
        </button>
      ) : null}
      <ol>
        <Entries entries={entries} />
        {Object.values(state.core.open).map((open) => (
          <li key={open.item.id}>
            <OpenEntry open={open} />
          </li>
        ))}
      </ol>
    </div>
  )
}
