import { isGitHeader } from './git-headers.ts'
import { failParse } from './parse-chunks.ts'

const beginMarker = '*** Begin Patch'
const endMarker = '*** End Patch'

/** Marker that begins the section of a file. */
const fileHeader = /^\*\*\* (?:Add|Delete|Update) File:/

/** Lines of a patch without what stands around it. The first line of them is line 1. */
export type UnwrappedPatch =
  | { readonly ok: true; readonly lines: readonly string[]; readonly hasBegin: boolean }
  | { readonly ok: false; readonly line: number; readonly message: string }

/**
 * Returns the lines of a patch without what stands around it: a code fence, a heredoc, words.
 *
 * The end marker may be left out, in a diff of git both markers. A second patch is refused.
 */
export function unwrapPatch(text: string): UnwrappedPatch {
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
