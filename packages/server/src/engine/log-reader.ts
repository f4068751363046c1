import {
  decodeLine,
  formatOf,
  type Line,
  LOG_FORMAT,
  type LoggedEnvelope,
  type LogHeader,
  type LogLine,
  lineOf,
  translatedLine,
} from '@parley/journal'
import { upgradeEvent } from '@parley/protocol'

/** Reads the lines of one log, whatever version wrote them, as events of this version. */
export interface LogReader {
  /** Version of the program that may go on after what was read, without a `conversation.upgraded` of its own. */
  readonly version: number
  /** Null for a line that holds no event. */
  read(text: string): LoggedEnvelope | null
  /** Returns the line with the event of this version; the checksum stays that of the stored text. */
  lineFor(line: LogLine): Line
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
    lineFor(logged) {
      const line = lineOf(logged)
      const stored = format >= LOG_FORMAT ? null : decodeLine(line.text)
      if (stored === null) return line
      const upgraded = current(stored)
      return upgraded === stored ? line : translatedLine(upgraded, line.crc)
    },
  }
}
