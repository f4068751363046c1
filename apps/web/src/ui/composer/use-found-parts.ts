import type { Client } from '@parley/client/browser'
import type { FoundPart } from '@parley/protocol'
import { useEffect, useState } from 'react'

const none: readonly FoundPart[] = []

/** Returns skills and commands of a conversation, read whenever a name is begun; empty before the answer. */
export function useFoundParts(
  text: string,
  client: Client | null,
  { cwd, environment }: { readonly cwd: string; readonly environment?: string | undefined },
): readonly FoundPart[] {
  const [parts, setParts] = useState(none)
  const mayName = /^\/|\$/.test(text)
  useEffect(() => {
    if (client === null || !mayName) return undefined
    let isOver = false
    client.request('skill/list', { cwd, ...(environment === undefined ? {} : { environment }) }).then(
      (found) => isOver || setParts(found.parts),
      // A message can be written without a list.
      () => isOver || setParts(none),
    )
    return () => {
      isOver = true
    }
  }, [client, cwd, environment, mayName])
  return parts
}
