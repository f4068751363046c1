import { isGitHeader, isPathPair, readGitHeaders, withoutPrefixes } from './git-headers.ts'
import {
  failParse,
  type Hunk,
  isNoNewline,
  type ParseStep,
  type PatchLines,
  parseChunks,
  readFrom,
} from './parse-chunks.ts'

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

/** Parses the section of a file in a diff of git or `diff -u`. */
function parseGitFile(lines: PatchLines, index: number): ParseStep<Hunk | null> {
  const line = index + 1
  const headers = readGitHeaders(lines, index)
  if (headers === null) return failParse(line, 'the diff does not say which file it is of.')
  const { oldPath, newPath, beyond, next } = headers
  if (beyond !== null) return failParse(line, `a patch cannot do this: '${beyond}'. Use a command for it.`)
  const end = sectionEnd(lines, next)
  const below = isSignature(lines, end) ? end + 2 : end
  if (newPath === null && oldPath === null) return failParse(line, 'the diff names no file.')
  if (newPath === null) return { ok: true, value: { kind: 'delete', path: oldPath ?? '', line }, next: below }
  const chunks = parseChunks(lines.slice(0, end), next)
  if (!chunks.ok) return chunks
  if (oldPath === null) {
    const added = chunks.value.flatMap((chunk) => chunk.lines)
    if (added.some(({ kind }) => kind === 'remove'))
      return failParse(line, `the new file '${newPath}' has no lines to remove.`)
    const texts = added.filter(({ kind }) => kind === 'insert').map(({ text }) => text)
    return { ok: true, value: { kind: 'add', path: newPath, line, lines: texts }, next: below }
  }
  const moves = newPath !== oldPath
  if (chunks.value.length === 0 && !moves) return failParse(line, `the update of '${newPath}' is empty.`)
  const moved = moves ? { movedTo: newPath } : {}
  return { ok: true, value: { kind: 'update', path: oldPath, line, chunks: chunks.value, ...moved }, next: below }
}

/** Returns where the section of a file ends: at the next one, a marker, or the signature of a mailed patch. */
function sectionEnd(lines: PatchLines, start: number): number {
  for (let index = start; index < lines.length; index++) {
    if (lines[index]?.startsWith('*') || isGitHeader(lines, index) || isSignature(lines, index)) return index
  }
  return lines.length
}

/** Tests for the version of git below two dashes. */
function isSignature(lines: PatchLines, index: number): boolean {
  return /^-- ?$/.test(lines[index] ?? '') && /^\d+\.\d+[\w.() -]*$/.test(lines[index + 1] ?? '')
}

const beginMarker = '*** Begin Patch'
const endMarker = '*** End Patch'

/** Marker that begins the section of a file. */
const fileHeader = /^\*\*\* (?:Add|Delete|Update) File:/

/** Lines of a patch without what stands around it. The first line of them is line 1. */
type UnwrappedPatch =
  | { readonly ok: true; readonly lines: readonly string[]; readonly hasBegin: boolean }
  | { readonly ok: false; readonly line: number; readonly message: string }

/**
 * Returns the lines of a patch without what stands around it: a code fence, a heredoc, words.
 *
 * The end marker may be left out, in a diff of git both markers. A second patch is refused.
 */
function unwrapPatch(text: string): UnwrappedPatch {
  const all = text.trim().split('\n')
  const begin = all.findIndex((line) => line.trim() === beginMarker)
  const start = begin >= 0 ? begin : all.findIndex((line, index) => fileHeader.test(line) || isGitHeader(all, index))
  if (start < 0 || (begin < 0 && start > 0 && !isGitHeader(all, start)))
    return { ok: false, line: 1, message: `The first line of the patch must be '${beginMarker}'.` }
  const lines = withoutReturns(all.slice(start))
  const end = lines.findLastIndex((line) => line.trim() === endMarker)
  if (begin >= 0 && lines.length === 1)
    return { ok: false, line: 1, message: `The patch ends with its first line; its last must be '${endMarker}'.` }
  if (end < 0) return { ok: true, lines: withoutClosing(lines, all.slice(0, start)), hasBegin: begin >= 0 }
  const more = lines.findIndex((line, index) => index > end && (line.trim() === beginMarker || fileHeader.test(line)))
  if (more >= 0) return failParse(more + 1, `'${endMarker}' stands above it. Give one patch with all files.`)
  return { ok: true, lines: lines.slice(0, end), hasBegin: begin >= 0 }
}

/** Drops the end of a code fence or heredoc that was opened above. */
function withoutClosing(lines: readonly string[], above: readonly string[]): readonly string[] {
  const last = lines.at(-1)?.trim() ?? ''
  const opening = above.findLast((line) => line.trim() !== '') ?? ''
  const word = /<<-?\s*['"]?(\w+)['"]?/.exec(opening)?.[1]
  const isClosing = (opening.startsWith('```') && /^`{3,}$/.test(last)) || (word !== undefined && last === word)
  return isClosing ? lines.slice(0, -1) : lines
}

/** Drops the carriage returns of a text in CRLF, where they are never content. */
function withoutReturns(lines: readonly string[]): readonly string[] {
  if (!lines[0]?.endsWith('\r')) return lines
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}
