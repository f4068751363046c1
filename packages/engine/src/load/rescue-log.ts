import { type LogHeader, type LogView, lineCrc, newHeader, StorageError, textOf } from '@parley/journal'
import type { Conversation } from '../conversation/conversation.ts'

interface CopiedLine {
  readonly seq: number
  readonly text: string
  readonly crc: string
}

/** All events of an open conversation with a log that others have changed. */
export interface RescuedLog {
  readonly header: LogHeader | null
  readonly lines: readonly CopiedLine[]
  /** Digest of the state that the lines must fold to: others may have written lines with the same numbers. */
  readonly digest: string
}

/** Resolves to null when the log holds every recorded event. Rejects with `StorageError` when events are lost. */
export async function rescuedIfLost(source: Conversation): Promise<RescuedLog | null> {
  try {
    await source.synced()
    source.assertStored()
    return null
  } catch (error) {
    const rescued = error instanceof StorageError ? rescueLog(source) : null
    if (rescued === null) throw error
    return rescued
  }
}

/**
 * Collects the events of a state: first from the log's own descriptor, which has all of them after the log was deleted,
 * moved or replaced; then from memory. Returns null when events in between are lost.
 */
function rescueLog(conversation: Conversation): RescuedLog | null {
  const view = conversation.held()
  if (view === null) return null
  const { seq, digest, meta } = conversation.state.core
  const held = heldLines(view, seq)
  const rest = conversation.feed.recentAfter(held.length)
  if (rest === null || held.length + rest.length < seq) return null
  // Memory reaches back to the first event only where this program began the log.
  const header = held.length === 0 ? newHeader(meta.conversationId) : view.header()
  return { header, lines: [...held, ...rest.map(({ seq, text, crc }) => ({ seq, text, crc: crc ?? '' }))], digest }
}

/** Returns the lines from 1 up to `last` without a gap. */
function heldLines(view: LogView, last: number): readonly CopiedLine[] {
  const lines: CopiedLine[] = []
  for (const line of view.lines()) {
    if (line.seq !== lines.length + 1 || line.seq > last) break
    lines.push({ seq: line.seq, text: textOf(line), crc: lineCrc(line) })
  }
  return lines
}
