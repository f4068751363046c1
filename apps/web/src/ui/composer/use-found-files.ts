import type { Client } from '@parley/client/browser'
import type { ConversationId } from '@parley/protocol'
import { useEffect, useState } from 'react'

interface FileSearchTarget {
  readonly client: Client | null
  readonly conversationId: ConversationId
}

const none: readonly string[] = []

/** Returns the files that fit the text after `@`; the last query's files until the next are known. Null: no query. */
export function useFoundFiles(query: string | null, { client, conversationId }: FileSearchTarget): readonly string[] {
  const [paths, setPaths] = useState(none)
  useEffect(() => {
    if (query === null || client === null) {
      setPaths(none)
      return undefined
    }
    let isOver = false
    client.request('conversation/findFiles', { conversationId, query }).then(
      (found) => isOver || setPaths(found.paths),
      // A message can be written without a list.
      () => isOver || setPaths(none),
    )
    return () => {
      isOver = true
    }
  }, [query, client, conversationId])
  return query === null ? none : paths
}
