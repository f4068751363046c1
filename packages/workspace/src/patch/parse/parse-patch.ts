import { isGitHeader, isPathPair, withoutPrefixes } from './git-headers.ts'
import {
  failParse,
  type Hunk,
  isNoNewline,
  type ParseStep,
  type PatchLines,
  parseChunks,
  readFrom,
} from './parse-chunks.ts'
import { parseGitFile } from './parse-git-file.ts'
import { unwrapPatch } from './unwrap-patch.ts'

export type ParsedPatch =
  | { readonly ok: true; readonly hunks: readonly Hunk[] }
  | {
      readonly ok: false
      /** Line of the patch; the Begin marker is line 1. */
      readonly line: number
      readonly message: string
    }

const addHeader = '*** Add File:'
const deleteHeader = '*** Delete File:'
const updateHeader = '*** Update File:'
const moveHeader = '*** Move to:'
const environmentHeader = '*** Environment ID:'

/** Parses the text of a patch. A patch without any file is valid. Never throws. */
export function parsePatch(text: string): ParsedPatch {
  const unwrapped = unwrapPatch(text)
  return unwrapped.ok ? parseHunks(unwrapped.lines, unwrapped.hasBegin ? 1 : 0) : unwrapped
}

function parseHunks(lines: PatchLines, start: number): ParsedPatch {
  const hunks: Hunk[] = []
  let index = lines[start]?.trim().startsWith(environmentHeader) ? start + 1 : start
  while (index < lines.length) {
    const line = lines[index] ?? ''
    if (line.trim() === '' || isNoNewline(line)) {
      index += 1
      continue
    }
    const step: ParseStep<Hunk | null> = isGitHeader(lines, index)
      ? parseGitFile(lines, index)
      : parseHunk(lines, index)
    if (!step.ok) return step
    if (step.value !== null) hunks.push(step.value)
    index = step.next
  }
  return { ok: true, hunks }
}

function parseHunk(lines: PatchLines, index: number): ParseStep<Hunk> {
  const header = (lines[index] ?? '').trim()
  const line = index + 1
  const kind = [addHeader, deleteHeader, updateHeader].find((marker) => header.startsWith(marker))
  if (kind === undefined) return failParse(line, notAHeader(header))
  const path = header.slice(kind.length).trim()
  if (path === '') return failParse(line, `'${kind}' must be followed by a path.`)
  if (kind === deleteHeader) return { ok: true, value: { kind: 'delete', path, line }, next: index + 1 }
  return kind === addHeader ? parseAdd(lines, index, path) : parseUpdate(lines, index, path)
}

function parseAdd(lines: PatchLines, index: number, path: string): ParseStep<Hunk> {
  const start = belowPathPair(lines, index + 1, null)
  const body = readFrom(lines, start, (line) => line.startsWith('+'))
  const value: Hunk = { kind: 'add', path, line: index + 1, lines: body.map((line) => line.slice(1)) }
  return { ok: true, value, next: start + body.length }
}

function parseUpdate(lines: PatchLines, index: number, path: string): ParseStep<Hunk> {
  const below = (lines[index + 1] ?? '').trim()
  const moves = below.startsWith(moveHeader)
  const movedTo = below.slice(moveHeader.length).trim()
  if (moves && movedTo === '') return failParse(index + 2, `'${moveHeader}' must be followed by a path.`)
  const chunks = parseChunks(lines, belowPathPair(lines, index + (moves ? 2 : 1), path))
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

/**
 * Returns the index below the paths of a diff, which some models repeat below the header of a file; null for the path
 * of a new file, as its numbers are left out, too. Lines that name another file belong to a chunk.
 */
function belowPathPair(lines: PatchLines, start: number, path: string | null): number {
  const index = start + readFrom(lines, start, (line) => /^(?:diff --git|index) /.test(line)).length
  if (!isPathPair(lines, index)) return index
  const { oldPath, newPath } = withoutPrefixes(lines[index] ?? '', lines[index + 1] ?? '')
  if (path === null) return oldPath === null ? index + (lines[index + 2]?.startsWith('@@') ? 3 : 2) : index
  const isSame = newPath === path || `b/${newPath}` === path || `a/${oldPath}` === path
  return isSame && lines[index + 2]?.startsWith('@@') ? index + 2 : index
}

function notAHeader(header: string): string {
  const headers = [addHeader, deleteHeader, updateHeader].map((marker) => `'${marker} {path}'`).join(', ')
  const plus = header.startsWith('+') ? ' Every line of a new file, empty ones too, begins with +.' : ''
  return `'${header}' is not a valid hunk header. Valid hunk headers: ${headers}.${plus}`
}
