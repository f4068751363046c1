import type { ConversationEvent, ItemId } from '@parley/protocol'
import { characterStart } from '@parley/text'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { Conversation } from './conversation.ts'
import { createCoalescer, createDeltaWriter, recordUnlessFull } from './deltas.ts'

const shownWholeBytes = 64 * 1024
const progressIntervalMs = 250
const progressTailBytes = 2000

/**
 * Creates the recorder of a running command's output: the first 64 KiB as deltas, then the byte count and the newest lines.
 * An earlier server has recorded the first `seenBytes` in the log.
 */
export function createOutputReporter(
  conversation: Conversation,
  clock: Clock,
  { itemId, seenBytes = 0 }: { readonly itemId: ItemId; readonly seenBytes?: number },
) {
  const show = (event: ConversationEvent) => recordUnlessFull(() => void conversation.record(event))
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
    /** Records a chunk, which the caller may reuse afterwards. */
    report(chunk: Buffer): void {
      const room = Math.max(0, shownWholeBytes - totalBytes)
      const seen = Math.max(0, seenBytes - totalBytes)
      totalBytes += chunk.length
      if (seen < room) deltas.push(decoder.decode(chunk.subarray(seen, room), { stream: true }))
      if (chunk.length <= room || totalBytes <= seenBytes) return
      deltas.flush()
      tail = Buffer.concat([tail, chunk.subarray(room).subarray(-progressTailBytes)]).subarray(-progressTailBytes)
      noteProgress()
    },
    /** Records the held output and stops. */
    stop(): void {
      if (timer !== null) clearTimeout(timer)
      deltas.flush()
      deltas.stop()
    },
  }
}
