import { orNull } from '@parley/text'
/** Line with its line end; empty only for a last line without one. */
export interface TextLine {
  readonly text: string
  readonly end: '\n' | '\r\n' | ''
}

export interface TextFile {
  readonly hasByteOrderMark: boolean
  readonly lines: readonly TextLine[]
}

export type DecodedFile =
  | { readonly ok: true; readonly file: TextFile }
  | { readonly ok: false; readonly reason: string }

const byteOrderMark = '\uFEFF'

/** Splits a file's bytes into lines that `encodeTextFile` joins to exactly the same bytes. */
export function decodeTextFile(bytes: Uint8Array): DecodedFile {
  if (bytes.includes(0)) return { ok: false, reason: 'it is not text but binary (it contains NUL bytes)' }
  const content = decodeUtf8(bytes)
  if (content === null) return { ok: false, reason: 'it is not valid UTF-8, so its bytes could not be kept exactly' }
  const hasByteOrderMark = content.startsWith(byteOrderMark)
  return { ok: true, file: { hasByteOrderMark, lines: splitTextLines(hasByteOrderMark ? content.slice(1) : content) } }
}

export function encodeTextFile(file: TextFile): Uint8Array {
  return Buffer.from((file.hasByteOrderMark ? byteOrderMark : '') + textOfFile(file))
}

/** Returns the text without its byte order mark. */
export function textOfFile({ lines }: TextFile): string {
  return lines.map(({ text, end }) => text + end).join('')
}

/** Decodes UTF-8 and keeps a byte order mark. Returns null for invalid bytes. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  return orNull(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
}

function splitTextLines(content: string): TextLine[] {
  const pieces = content.split('\n')
  const tail = pieces.pop() ?? ''
  const lines = pieces.map((piece): TextLine => {
    return piece.endsWith('\r') ? { text: piece.slice(0, -1), end: '\r\n' } : { text: piece, end: '\n' }
  })
  return tail === '' ? lines : [...lines, { text: tail, end: '' }]
}
