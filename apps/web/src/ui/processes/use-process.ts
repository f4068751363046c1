import type { Client } from '@parley/client/browser'
import type { ConversationId, ItemId, ResultOf } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { useEffect, useState } from 'react'

type ProcessOutput = ResultOf<'conversation/process/read'>

interface ProcessReading {
  /** Newest output; null before the first answer. */
  readonly output: ProcessOutput | null
  readonly problem: string | null
}

interface ProcessPlace {
  readonly client: Client | null
  readonly conversationId: ConversationId
  readonly itemId: ItemId
}

/** Lines that are asked for; the server sends 24 KiB at most. */
const wantedLines = 1_000
/** Time that the server waits for more output. */
const waitMs = 10_000
/** Shortest time between two readings of a process that prints without end. */
const pauseMs = 250

/** Follows the output of a process, or its lines with a text, until it has ended. */
export function useProcess({ client, conversationId, itemId }: ProcessPlace, query: string): ProcessReading {
  const [read, setRead] = useState<ProcessReading>({ output: null, problem: null })
  useEffect(() => {
    if (client === null) return undefined
    let isOver = false
    const wanted = { conversationId, itemId, tail: wantedLines, ...(query === '' ? {} : { search: query }) }
    const follow = async () => {
      let output = await client.request('conversation/process/read', wanted)
      while (!isOver) {
        setRead({ output, problem: null })
        if (output.end !== null) return
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        if (isOver) return
        const { totalBytes: changedFrom } = output
        output = await client.request('conversation/process/read', { ...wanted, changedFrom, waitMs })
      }
    }
    // A short wait after a letter, so that not every letter is a request.
    const timer = setTimeout(
      () => {
        follow().catch((error: unknown) => isOver || setRead({ output: null, problem: errorMessage(error) }))
      },
      query === '' ? 0 : pauseMs,
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, conversationId, itemId, query])
  return read
}
