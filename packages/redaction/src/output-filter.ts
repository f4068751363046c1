import type { OutputFilter } from '@parley/host'
import { splitCutRest } from './cut-rest.ts'
import type { RedactedStream } from './scan/redactor.ts'

/** Output of a command with marks in place of secrets. Bytes are looked through as one character each. */
export function redactOutput(stream: RedactedStream): OutputFilter {
  return {
    push(chunk) {
      const out = stream.pushBytes(chunk, (from, to) => chunk.toString('latin1', from, to))
      return typeof out === 'number' ? chunk.subarray(0, out) : Buffer.from(out, 'latin1')
    },
    end(cut) {
      const rest = stream.end()
      if (!cut) return Buffer.from(rest, 'latin1')
      const { told, kept } = splitCutRest(rest)
      const gap = kept === '' ? '' : `[${kept.length} bytes left out: cut off, and perhaps half a secret]`
      return Buffer.from(told + gap, 'latin1')
    },
  }
}
