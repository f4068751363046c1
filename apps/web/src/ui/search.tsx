import { type FoundText, findInItem } from '@parley/presentation/items/item-text'
import { count } from '@parley/presentation/text/formats'
import type { CompletedItem } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Items } from './transcript/use-items.ts'

interface Hit extends FoundText {
  readonly seq: number
}

/** Most entries that are listed. */
const maxHits = 100
/** Pause after a letter before a search begins. */
const typingMs = 250

interface SearchProps {
  readonly loaded: Items
  /** Box that the entries are in. */
  readonly box: RefObject<HTMLElement | null>
  readonly onProblem: (problem: string) => void
  readonly onClose: () => void
}

/** Finds text in a conversation, earlier entries included, which are read for it from the newest on. */
export function Search({ loaded, box, onProblem, onClose }: SearchProps) {
  const [query, setQuery] = useState('')
  const { hits, isDone } = useHits(loaded, query, onProblem)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <search className="search">
      <div className="row">
        <input
          ref={field}
          type="search"
          value={query}
          placeholder="Find in this conversation"
          aria-label="Find in this conversation"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
          }}
        />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {query === '' ? null : (
        <p className="muted" role="status">
          {hitWords(hits.length)}
          {isDone ? '' : ' so far …'}
        </p>
      )}
      <ul aria-label="Found">
        {hits.map(({ seq, before, match, after }) => (
          <li key={seq}>
            <button type="button" onClick={() => showEntry(box.current, seq)}>
              {before}
              <mark>{match}</mark>
              {after}
            </button>
          </li>
        ))}
      </ul>
    </search>
  )
}

function hitWords(hits: number): string {
  if (hits === 0) return 'Nothing found'
  return `${hits === maxHits ? 'The newest ' : ''}${count(hits)} ${hits === 1 ? 'entry' : 'entries'}`
}

interface SearchHits {
  /** Newest first. */
  readonly hits: readonly Hit[]
  /** False while earlier entries are still read. */
  readonly isDone: boolean
}

function useHits(loaded: Items, query: string, onProblem: (problem: string) => void): SearchHits {
  const [found, setFound] = useState<SearchHits>({ hits: [], isDone: true })
  // The search takes the items as they were when the words were typed; later ones stand at the end of the page.
  const current = useRef(loaded)
  current.current = loaded
  const report = useRef(onProblem)
  report.current = onProblem
  useEffect(() => {
    let isOver = false
    const search = async () => {
      let hits = hitsIn(current.current.items, query)
      while (!isOver && query !== '') {
        const page = hits.length < maxHits ? await current.current.more() : []
        if (isOver) return
        hits = [...hits, ...hitsIn(page, query)].slice(0, maxHits)
        setFound({ hits, isDone: page.length === 0 })
        if (page.length === 0) return
      }
      setFound({ hits: [], isDone: true })
    }
    const timer = setTimeout(() => search().catch((error: unknown) => report.current(errorMessage(error))), typingMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [query])
  return found
}

function hitsIn(items: readonly CompletedItem[], query: string): readonly Hit[] {
  return items.toReversed().flatMap(({ seq, item }) => {
    const found = findInItem(item, query)
    return found === null ? [] : [{ seq, ...found }]
  })
}

/** Scrolls to the entry that has an item, opens it and marks it for a moment. */
function showEntry(box: HTMLElement | null, seq: number): void {
  const entries = [...(box?.querySelectorAll<HTMLElement>('[data-seq]') ?? [])]
  const entry = entries.findLast(({ dataset }) => Number(dataset['seq']) <= seq)
  if (entry === undefined) return
  for (const fold of entry.querySelectorAll('details')) fold.open = true
  for (const other of entries) other.classList.toggle('found', other === entry)
  entry.scrollIntoView({ block: 'start' })
}
