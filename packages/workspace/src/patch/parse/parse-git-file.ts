import { isGitHeader, readGitHeaders } from './git-headers.ts'
import { failParse, type Hunk, type ParseStep, type PatchLines, parseChunks } from './parse-chunks.ts'

/** Parses the section of a file in a diff of git or `diff -u`. */
export function parseGitFile(lines: PatchLines, index: number): ParseStep<Hunk | null> {
  const line = index + 1
  const headers = readGitHeaders(lines, index)
  if (headers === null) return failParse(line, 'the diff does not say which file it is of.')
  const { oldPath, newPath, beyond, next } = headers
  if (beyond !== null) return failParse(line, `a patch cannot do this: '${beyond}'. Use a command for it.`)
  const end = sectionEnd(lines, next)
  const below = belowSignature(lines, end)
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

function belowSignature(lines: PatchLines, index: number): number {
  return isSignature(lines, index) ? index + 2 : index
}

/** Tests for the version of git below two dashes. */
function isSignature(lines: PatchLines, index: number): boolean {
  return /^-- ?$/.test(lines[index] ?? '') && /^\d+\.\d+[\w.() -]*$/.test(lines[index + 1] ?? '')
}
