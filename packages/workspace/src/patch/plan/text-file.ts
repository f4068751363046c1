/** One line with the line end it has in the file; the last line's end is empty when the file ends without one. */
export interface TextLine {
  readonly text: string
  readonly end: '\n' | '\r\n' | ''
}

export interface TextFile {
  readonly hasMark: boolean
  readonly lines: readonly TextLine[]
}

export type DecodedFile =
  | { readonly ok: true; readonly file: TextFile }
  | { readonly ok: false; readonly reason: string }

const byteOrderMark = '\uFEFF'

/** Takes a file's bytes apart so that `encodeTextFile` gives back exactly the same bytes. */
export function decodeTextFile(bytes: Uint8Array): DecodedFile {
  if (bytes.includes(0)) return { ok: false, reason: 'it is not text but binary (it contains NUL bytes)' }
  const content = decodeUtf8(bytes)
  if (content === null) return { ok: false, reason: 'it is not valid UTF-8, so its bytes could not be kept exactly' }
  const hasMark = content.startsWith(byteOrderMark)
  return { ok: true, file: { hasMark, lines: splitTextLines(hasMark ? content.slice(1) : content) } }
}

export function encodeTextFile(file: TextFile): Uint8Array {
  return Buffer.from((file.hasMark ? byteOrderMark : '') + textOfFile(file))
}

/** Returns the text without its byte order mark. */
export function textOfFile({ lines }: TextFile): string {
  return lines.map(({ text, end }) => text + end).join('')
}

/** The text of valid UTF-8, a byte order mark kept; null for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function splitTextLines(content: string): TextLine[] {
  const pieces = content.split('\n')
  const tail = pieces.pop() ?? ''
  const lines = pieces.map((piece): TextLine => {
    return piece.endsWith('\r') ? { text: piece.slice(0, -1), end: '\r\n' } : { text: piece, end: '\n' }
  })
  return tail === '' ? lines : [...lines, { text: tail, end: '' }]
}
