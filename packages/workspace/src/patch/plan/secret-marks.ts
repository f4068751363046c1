import { markShape } from '@parley/redaction'
import { type PatchProblem, problem } from '../patch-report.ts'
import type { Chunk, ChunkLine } from './parse-chunks.ts'
import type { Hunk } from './parse-patch.ts'

/** Marks that the model sees, each with the secret it replaces. */
export type KnownMarks = ReadonlyMap<string, string>

const mark = new RegExp(String.raw`\[${markShape}`, 'g')

/**
 * Returns the chunks of an update with the file's own secrets in place of their marks. A mark of another file's secret is
 * a problem: it would be written as if it were the secret. Without `secretsIn` marks are ordinary text.
 */
export function restoreSecrets(
  hunk: Extract<Hunk, { kind: 'update' }>,
  fileText: string,
  secretsIn?: (text: string) => KnownMarks,
): readonly Chunk[] | PatchProblem {
  if (secretsIn === undefined || !JSON.stringify(hunk.chunks).includes('[secret:')) return hunk.chunks
  const known = secretsIn(fileText)
  const inserted = hunk.chunks.flatMap(({ lines }) =>
    lines.filter(({ kind }) => kind === 'insert').map((line) => line.text),
  )
  const unknown = firstMark(inserted, (one) => known.has(one) || fileText.includes(one))
  return unknown === null ? restoreChunks(hunk.chunks, known) : markProblem(hunk.path, unknown)
}

/** Returns a problem when a new file would contain a mark. */
export function markInNewFile(path: string, lines: readonly string[]): PatchProblem | null {
  const found = firstMark(lines, () => false)
  return found === null ? null : markProblem(path, found)
}

function restoreChunks(chunks: readonly Chunk[], known: KnownMarks): readonly Chunk[] {
  const restored = (text: string) => text.replace(mark, (one) => known.get(one) ?? one)
  return chunks.map((chunk) => ({
    ...chunk,
    contexts: chunk.contexts.map(restored),
    lines: chunk.lines.flatMap((line) => linesOf(line, restored(line.text))),
  }))
}

/** Splits a restored line: one mark may replace a key of many lines. */
function linesOf(line: ChunkLine, text: string): readonly ChunkLine[] {
  return text.split(/\r?\n/).map((one) => ({ ...line, text: one }))
}

function firstMark(texts: readonly string[], isKnown: (mark: string) => boolean): string | null {
  return texts.flatMap((text) => text.match(mark) ?? []).find((one) => !isKnown(one)) ?? null
}

function markProblem(path: string, found: string): PatchProblem {
  const message = `${path} would get the mark ${found} instead of the secret that it stands for, which is not in that file. Move it with a command, or ask the user to.`
  return problem('unknownMark', message)
}
