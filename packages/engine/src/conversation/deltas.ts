import type { ConversationEvent, ItemId } from '@parley/protocol'
import { characterStart, piecesOf } from '@parley/text'
import type { Clock } from '../ports/clock-and-ids.ts'
import { RefusedEventError } from '../replies/refused-event.ts'
import type { Conversation } from './conversation.ts'
import { unlessStorageFails } from './storage-patience.ts'

const shownWholeBytes = 64 * 1024
const progressIntervalMs = 250
const progressTailBytes = 2000

/** Records the output of a running command: the first 64 KiB as deltas, then the byte count and the newest lines. */
interface OutputReporter {
  /** Records a chunk, which the caller may reuse afterwards. */
  report(chunk: Buffer): void
  /** Records the held output and stops. */
  stop(): void
}

/** `seenBytes` that come first are in the log: an earlier server has recorded them. */
export function createOutputReporter(
  conversation: Conversation,
  clock: Clock,
  { itemId, seenBytes = 0 }: { readonly itemId: ItemId; readonly seenBytes?: number },
): OutputReporter {
  const show = (event: ConversationEvent) => fits(() => unlessStorageFails(() => void conversation.record(event)))
  const decoder = new TextDecoder()
  const deltas = createCoalescer(clock, createDeltaWriter(conversation, itemId))
  let totalBytes = 0
  let tail: Buffer = Buffer.alloc(0)
  let lastProgressMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null

  function showProgress(): void {
    timer = null
    lastProgressMs = clock.elapsed()
    show({ type: 'item.progress', itemId, totalBytes, tail: tail.subarray(characterStart(tail)).toString() })
  }

  /** Records progress at most four times a second, the last lines before a pause included. */
  function noteProgress(): void {
    if (timer !== null) return
    const waitMs = lastProgressMs + progressIntervalMs - clock.elapsed()
    if (waitMs <= 0) showProgress()
    else timer = setTimeout(showProgress, waitMs)
  }

  return {
    report(chunk) {
      const room = Math.max(0, shownWholeBytes - totalBytes)
      const seen = Math.max(0, seenBytes - totalBytes)
      totalBytes += chunk.length
      if (seen < room) deltas.push(decoder.decode(chunk.subarray(seen, room), { stream: true }))
      if (chunk.length <= room || totalBytes <= seenBytes) return
      deltas.flush()
      tail = Buffer.concat([tail, chunk.subarray(room).subarray(-progressTailBytes)]).subarray(-progressTailBytes)
      noteProgress()
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
      deltas.flush()
      deltas.stop()
    },
  }
}

/** Interval between deltas in ms: at most 30 a second reach the log; the first of a burst is sent at once. */
const intervalMs = 33
/** Characters per delta; longer text is sent in pieces, so that no client receives a line of megabytes. */
const pieceLength = 64 * 1024

/** Interval of further tries in ms while what was sent is not stored. */
const retryIntervalMs = 250

/** Writes text behind all that it was given before. Returns false while some of it is not stored; `''` tries that again. */
export type DeltaWriter = (text: string) => boolean

/**
 * Records text as deltas of an item. Text that the storage does not take waits for the next call: clients miss none. Once
 * the state has no room the rest comes with the end of the item.
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
    if (waiting !== '' && !isFull) isFull = !fits(() => unlessStorageFails(write))
    if (isFull) waiting = ''
    return waiting === ''
  }
}

/** Tells clients by a delta without text that an answer goes on in parts which they are not shown. */
export function recordSign(conversation: Conversation, itemId: ItemId): void {
  fits(() => unlessStorageFails(() => void conversation.record({ type: 'item.delta', itemId, text: '' })))
}

/** Records what the end of an item repeats. Returns false where the state has no room for it: nobody waits for the failure. */
function fits(write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    if (error instanceof RefusedEventError && error.code === 'stateTooLarge') return false
    throw error
  }
}

/** Joins streamed text into fewer, larger deltas. */
export interface Coalescer {
  push(text: string): void
  /** Sends the held text, and tries what was sent and is not stored again. */
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
