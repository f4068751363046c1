import type { Client } from '@parley/client/browser'
import type { ResultOf } from '@parley/protocol'
import { useEffect, useState } from 'react'

/** Conversation with the searched words in its texts, with the newest place. */
export type FoundText = ResultOf<'conversation/search'>['found'][number]

const none: readonly FoundText[] = []
/** Letters from which on texts are searched: shorter words fit almost all of them. */
const soughtLetters = 2
const mostFound = 50
/** Pause after a letter before a search begins. */
const typingMs = 250

/** Finds conversations by all that was said in them, once no letter has come for a moment. */
export function useFoundTexts(client: Client | null, search: string): readonly FoundText[] {
  const query = search.trim()
  const [found, setFound] = useState(none)
  useEffect(() => {
    if (client === null || query.length < soughtLetters) {
      setFound(none)
      return undefined
    }
    let isOver = false
    const ask = () =>
      client.request('conversation/search', { query, limit: mostFound, archived: false }).then(
        (answer) => isOver || setFound(answer.found),
        // The list by titles stays.
        () => isOver || setFound(none),
      )
    const timer = setTimeout(() => void ask(), typingMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, query])
  return found
}
