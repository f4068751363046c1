import { type Chunk, failParse, type PatchLines, parseChunks, readFrom, type Step } from './parse-chunks.ts'

/** Section of a patch for one file. Paths are as written. */
export type Hunk =
  | { readonly kind: 'add'; readonly path: string; readonly line: number; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string; readonly line: number }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly line: number
      readonly movedTo?: string
      /** Empty only when the file is moved. */
      readonly chunks: readonly Chunk[]
    }

export type ParsedPatch =
  | { readonly ok: true; readonly hunks: readonly Hunk[] }
  | {
      readonly ok: false
      /** Line of the patch; the Begin marker is line 1. */
      readonly line: number
      readonly message: string
    }

const beginMarker = '*** Begin Patch'
const endMarker = '*** End Patch'

const addHeader = '*** Add File:'
const deleteHeader = '*** Delete File:'
const updateHeader = '*** Update File:'
const moveHeader = '*** Move to:'
const environmentHeader = '*** Environment ID:'

/** Parses the text of a patch. A patch without any file is valid. Never throws. */
export function parsePatch(text: string): ParsedPatch {
  const lines = splitLines(withoutHeredoc(text.trim()))
  if (lines[0]?.trim() !== beginMarker) {
    return { ok: false, line: 1, message: `The first line of the patch must be '${beginMarker}'.` }
  }
  if (lines.length < 2 || lines.at(-1)?.trim() !== endMarker) {
    return { ok: false, line: lines.length, message: `The last line of the patch must be '${endMarker}'.` }
  }
  return parseHunks(lines.slice(0, -1))
}

function parseHunks(lines: PatchLines): ParsedPatch {
  const hunks: Hunk[] = []
  let index = lines[1]?.trim().startsWith(environmentHeader) ? 2 : 1
  while (index < lines.length) {
    if (lines[index]?.trim() === '') {
      index += 1
      continue
    }
    const step = parseHunk(lines, index)
    if (!step.ok) return step
    hunks.push(step.value)
    index = step.next
  }
  return { ok: true, hunks }
}

function parseHunk(lines: PatchLines, index: number): Step<Hunk> {
  const header = (lines[index] ?? '').trim()
  const line = index + 1
  const kind = [addHeader, deleteHeader, updateHeader].find((marker) => header.startsWith(marker))
  if (kind === undefined) return failParse(line, notAHeader(header))
  const path = header.slice(kind.length).trim()
  if (path === '') return failParse(line, `'${kind}' must be followed by a path.`)
  if (kind === deleteHeader) return { ok: true, value: { kind: 'delete', path, line }, next: index + 1 }
  return kind === addHeader ? parseAdd(lines, index, path) : parseUpdate(lines, index, path)
}

function parseAdd(lines: PatchLines, index: number, path: string): Step<Hunk> {
  const body = readFrom(lines, index + 1, (line) => line.startsWith('+'))
  const value: Hunk = { kind: 'add', path, line: index + 1, lines: body.map((line) => line.slice(1)) }
  return { ok: true, value, next: index + 1 + body.length }
}

function parseUpdate(lines: PatchLines, index: number, path: string): Step<Hunk> {
  const below = (lines[index + 1] ?? '').trim()
  const moves = below.startsWith(moveHeader)
  const movedTo = below.slice(moveHeader.length).trim()
  if (moves && movedTo === '') return failParse(index + 2, `'${moveHeader}' must be followed by a path.`)
  const chunks = parseChunks(lines, index + (moves ? 2 : 1))
  if (!chunks.ok) return chunks
  if (chunks.value.length === 0 && !moves) return failParse(index + 1, `the update of '${path}' is empty.`)
  const value: Hunk = {
    kind: 'update',
    path,
    line: index + 1,
    chunks: chunks.value,
    ...(moves ? { movedTo } : {}),
  }
  return { ok: true, value, next: chunks.next }
}

function notAHeader(header: string): string {
  const headers = [addHeader, deleteHeader, updateHeader].map((marker) => `'${marker} {path}'`).join(', ')
  const plus = header.startsWith('+') ? ' Every line of a new file, empty ones too, begins with +.' : ''
  return `'${header}' is not a valid hunk header. Valid hunk headers: ${headers}.${plus}`
}

/** Removes a shell heredoc around the patch, which some models write: `<<'EOF'` … `EOF`. */
function withoutHeredoc(text: string): string {
  const wrapped = /^<<\s*(?:'(\w+)'|"(\w+)"|(\w+))[^\S\n]*\r?\n([\s\S]*)\n[^\S\n]*(\w+)$/.exec(text)
  if (wrapped === null) return text
  const [, single, double, bare, body = '', end] = wrapped
  return (single ?? double ?? bare) === end ? body.trim() : text
}

/** Splits lines. If the Begin marker ends in CRLF, all line ends are CRLF and no carriage return is content. */
function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (!lines[0]?.endsWith('\r')) return lines
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}
