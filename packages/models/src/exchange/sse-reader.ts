import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'

interface SseBatch {
  /** Data of each whole event, in order. Their names are not needed: every wire repeats them in the data. */
  readonly events: readonly string[]
  /** True when a whole event, one without data or a comment has arrived. */
  readonly alive: boolean
  /** True once an event is longer than the limit. */
  readonly oversized: boolean
}

interface SseReader {
  read(bytes: Uint8Array): SseBatch
  /** Returns the last event if it lacks its closing blank line; it may be cut. */
  end(): SseBatch
  /** Returns the lines so far that are no part of an event stream, up to 64 KiB; empty for most streams. */
  strayText(): string
}

const maxStrayChars = 64 * 1024

/** Creates a reader of server-sent events; chunks may be cut anywhere. */
export function createSseReader(maxEventChars: number): SseReader {
  const decoder = new StringDecoder('utf8')
  let events: string[] = []
  let alive = false
  let oversized = false
  let stray = ''
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ data }) => {
      // By the standard an event without data does not count; gateways send it to keep a connection open.
      if (data.trim() === '') alive = true
      else events.push(data)
    },
    onComment: () => {
      alive = true
    },
    onError: (error) => {
      oversized ||= error.type === 'max-buffer-size-exceeded'
      if (error.type === 'unknown-field' && stray.length < maxStrayChars) stray += `${error.line ?? ''}\n`
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
    strayText: () => stray.slice(0, maxStrayChars).trim(),
  }
}
