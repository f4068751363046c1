import type { OutputFilter } from '@parley/host'
import type { RedactedStream } from '@parley/protocol/redaction'

/** Output of a command with marks in place of secrets. Bytes are looked through as one character each. */
export function redactOutput(stream: RedactedStream): OutputFilter {
  return {
    push(chunk) {
      const out = stream.pushBytes(chunk, (from, to) => chunk.toString('latin1', from, to))
      return typeof out === 'number' ? chunk.subarray(0, out) : Buffer.from(out, 'latin1')
    },
    end: () => Buffer.from(stream.end(), 'latin1'),
  }
}
