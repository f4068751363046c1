import { entriesOf } from '@parley/presentation/items/entries'
import { stripEffects } from '@parley/presentation/text/control-characters'
import { type ConversationState, isCall, type OpenItem } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { useMemo } from 'react'
import { CallHead, OutputText } from './call-entry.tsx'
import { Entries } from './entries.tsx'
import { Markdown } from './markdown.tsx'
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

const tailLines = 12

/** An item that is not finished: an answer as it comes, a call that waits or runs. */
function OpenEntry({ open }: { readonly open: OpenItem }) {
  const { item, output, progress, executionStarted } = open
  // A call that waits for an answer is shown by its question.
  if (isCall(item) && !executionStarted) return null
  switch (item.type) {
    case 'agentMessage':
      return (
        <article className="answer" aria-label="Answer" aria-busy="true">
          <Markdown text={item.text} />
        </article>
      )
    case 'reasoning':
      return <p className="muted reasoning">{stripEffects(item.text).split('\n').slice(-2).join('\n')}</p>
    case 'commandExecution':
    case 'shellCommand':
    case 'toolCall':
    case 'fileChange':
      return (
        <div className="call open">
          <CallHead item={item} />
          <OutputText text={lastLines(stripEffects(progress?.tail ?? output))} isOpen />
        </div>
      )
    default:
      return null
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-tailLines).join('\n')
}
