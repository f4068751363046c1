import { type FileOpening, formatBytes } from '@parley/workspace'

/** Bytes read of each instruction file; more would crowd out the conversation. */
export const maxInstructionBytes = 64 * 1024

interface InstructionText {
  /** Text for the model, which says itself where something is left out. */
  readonly text: string
  /** Sentence for the user on what is left out; null for nothing. */
  readonly warning: string | null
}

/** Returns the text of an instruction file, as UTF-8 or as the UTF-16 that its first bytes announce. */
export function instructionText(path: string, { bytes, sizeBytes }: FileOpening): InstructionText {
  const isCut = sizeBytes > bytes.length
  const decoded = isUtf16(bytes) ? fromUtf16(bytes) : bytes.toString('utf8')
  if (decoded.includes('\0')) {
    const warning = `${path} is no text of UTF-8 or UTF-16, so nothing of it is read as instructions.`
    return { text: '', warning }
  }
  if (!isCut) return { text: decoded, warning: null }
  const kept = wholeLines(decoded)
  const lines = kept.split('\n').length
  const size = formatBytes(sizeBytes)
  const shown = `${lines} ${lines === 1 ? 'line' : 'lines'}`
  return {
    text: `${kept}\n\n(This file has ${size}. Only its first ${shown} are here; the rest is left out.)`,
    warning: `${path} has ${size}: the model is given its first ${shown}, within ${formatBytes(maxInstructionBytes)}, and not the rest. Move what is needed seldom into files that it names.`,
  }
}

/** Returns true for bytes that begin with a byte order mark of UTF-16. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

function fromUtf16(bytes: Uint8Array): string {
  // Half a unit at a cut end is left away.
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2))
  return new TextDecoder(even[0] === 0xfe ? 'utf-16be' : 'utf-16le').decode(even, { stream: true })
}

/** Returns a text up to the end of its last whole line; one line alone without a character that was cut. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n')
  return end > 0 ? text.slice(0, end).trimEnd() : text.replace(/\uFFFD+$/, '')
}
