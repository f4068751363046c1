import type { ItemId } from '@parley/protocol'
import { piecesOf } from '@parley/text'
import type { Clock } from '../ports/clock-and-ids.ts'
import { RefusedEventError } from '../replies/refused-event.ts'
import type { Conversation } from './conversation.ts'
import { unlessStorageFails } from './storage-retry.ts'

/** Interval between deltas in ms: at most 30 a second reach the log; the first of a burst is sent at once. */
const intervalMs = 33
/** Characters per delta; longer text is sent in pieces, so that no client receives a line of megabytes. */
const pieceLength = 64 * 1024

/** Interval in ms at which text that was sent and not stored is tried again. */
const retryIntervalMs = 250

/** Writes text after all earlier text. Returns false while some of it is not stored; `''` tries the rest again. */
export type DeltaWriter = (text: string) => boolean

/**
 * Creates a writer of text as deltas of an item. Text that could not be stored waits for the next call, so that clients
 * miss nothing. Once the state has no room, the rest comes with the end of the item.
 */
export function createDeltaWriter(conversation: Conversation, itemId: ItemId): DeltaWriter {
  let waiting = ''
  let isFull = false
  const write = () => {
    for (const piece of [...piecesOf(waiting, pieceLength)]) {
      conversation.record({ type: 'item.delta', itemId, text: piece })
      waiting = waiting.slice(piece.length)
    }
  }
  return (text) => {
    waiting += text
    // Not tried again: each try measures the whole state.
    if (waiting !== '' && !isFull) isFull = !recordUnlessFull(write)
    if (isFull) waiting = ''
    return waiting === ''
  }
}

/** Records a delta without text: the answer goes on in parts that clients do not see. */
export function recordSign(conversation: Conversation, itemId: ItemId): void {
  recordUnlessFull(() => void conversation.record({ type: 'item.delta', itemId, text: '' }))
}

/**
 * Records an event that the end of its item repeats. A failure of the storage is ignored. Returns false when the state
 * has no room for it.
 */
export function recordUnlessFull(write: () => void): boolean {
  try {
    unlessStorageFails(write)
    return true
  } catch (error) {
    if (error instanceof RefusedEventError && error.code === 'stateTooLarge') return false
    throw error
  }
}

/** Joins streamed text into fewer, larger deltas. */
export interface Coalescer {
  push(text: string): void
  /** Sends the held text, and tries text that was sent and not stored again. */
  flush(): void
  /** Stops sending and returns the held text. */
  stop(): string
}

export function createCoalescer(clock: Clock, write: DeltaWriter): Coalescer {
  let held: string[] = []
  let isStored = true
  let lastMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (held.length === 0 && isStored) return
    const joined = held.join('')
    // Half of a character waits for its other half, which may come in the next piece.
    const text = /[\ud800-\udbff]$/.test(joined) ? joined.slice(0, -1) : joined
    held = text === joined ? [] : [joined.slice(-1)]
    lastMs = clock.elapsed()
    isStored = write(text)
    if (!isStored) timer = setTimeout(flush, retryIntervalMs)
  }

  return {
    push(text) {
      held.push(text)
      if (timer !== null) return
      const waitMs = lastMs + intervalMs - clock.elapsed()
      if (waitMs <= 0) flush()
      else timer = setTimeout(flush, waitMs)
    },
    flush,
    stop() {
      if (timer !== null) clearTimeout(timer)
      timer = null
      const text = held.join('')
      held = []
      return text
    },
  }
}
