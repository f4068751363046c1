import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'

/** One event larger than this is refused: nothing a model sends in one piece comes near it. */
export const MAX_EVENT_CHARS = 32 * 1024 * 1024

export interface SseBatch {
  /** The data of each whole event, in order. Event names are not needed: every wire repeats them in the data. */
  readonly events: readonly string[]
  /** A whole event or a comment came in; a trickle of bytes that never ends a line is no sign of life. */
  readonly alive: boolean
  readonly oversized: boolean
}

export interface SseReader {
  read(bytes: Uint8Array): SseBatch
  /** The event that the stream left without its closing blank line, if any: whole or cut, the caller cannot know. */
  end(): SseBatch
}

/** Bytes to the data of server-sent events, whatever the cuts between chunks. */
export function createSseReader(maxEventChars: number = MAX_EVENT_CHARS): SseReader {
  const decoder = new StringDecoder('utf8')
  let events: string[] = []
  let alive = false
  let oversized = false
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (event) => {
      events.push(event.data)
    },
    onComment: () => {
      alive = true
    },
    onError: (error) => {
      oversized ||= error.type === 'max-buffer-size-exceeded'
    },
  })
  const feed = (text: string): SseBatch => {
    events = []
    alive = false
    if (!oversized) parser.feed(text)
    return { events, alive: alive || events.length > 0, oversized }
  }
  return {
    read: (bytes) => feed(decoder.write(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes))),
    end: () => feed(`${decoder.end()}\n\n`),
  }
}
