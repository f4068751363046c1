import {
  decodeLine,
  formatOf,
  LOG_FORMAT,
  type LoggedEnvelope,
  type LogHeader,
  type LogLine,
  lineCrc,
  textOf,
} from '@parley/journal'
import { upgradeEvent } from '@parley/protocol'

/** Reads the lines of one log, whatever version wrote them, as events of this version. */
export interface LogReader {
  /** Version of the program that may go on after what was read, without a `conversation.upgraded` of its own. */
  readonly version: number
  /** Null for a line that holds no event. */
  read(text: string): LoggedEnvelope | null
  /** The line as clients get it: its own bytes, or the upgraded event with the checksum of the line. */
  textFor(line: LogLine): string
}

/**
 * Every line is taken for one of the header's version, also after a `conversation.upgraded`: an earlier program may
 * have forked the log and gone on in the copy in its own words. `upgradeEvent` leaves newer events alone.
 */
export function createLogReader(header: LogHeader | null): LogReader {
  const format = formatOf(header)
  let version = format

  /** Where earlier programs may still write, the event was copied by one of them and says nothing of what follows. */
  function note({ type, to }: LoggedEnvelope['event']): void {
    if (type !== 'conversation.upgraded' || typeof to !== 'number') return
    if (header === null || header.minReader >= to) version = Math.max(version, to)
  }

  function current(stored: LoggedEnvelope): LoggedEnvelope {
    const event = upgradeEvent(stored.event, format)
    return event === stored.event ? stored : { ...stored, event }
  }

  return {
    get version() {
      return version
    },
    read(text) {
      const stored = decodeLine(text)
      if (stored === null) return null
      note(stored.event)
      return current(stored)
    },
    textFor(line) {
      const text = textOf(line)
      const stored = format >= LOG_FORMAT ? null : decodeLine(text)
      if (stored === null) return text
      const upgraded = current(stored)
      return upgraded === stored ? text : encoded(upgraded, line)
    },
  }
}

/** A line that was edited by hand has no checksum, nor has its event as it is delivered. */
function encoded({ seq, at, event }: LoggedEnvelope, line: LogLine): string {
  return JSON.stringify({ seq, at, event, ...(line.unchecked ? {} : { crc: lineCrc(line) }) })
}
