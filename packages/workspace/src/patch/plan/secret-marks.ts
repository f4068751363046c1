import { markShape } from '@parley/redaction'
import type { Chunk, ChunkLine, Hunk } from '../parse/parse-chunks.ts'
import { type PatchProblem, problem } from '../patch-report.ts'

/** Marks that the model sees, each with the secret it replaces. */
export type KnownMarks = ReadonlyMap<string, string>

const mark = new RegExp(String.raw`\[${markShape}`, 'g')

/**
 * Returns the chunks of an update with the file's own secrets in place of their marks; the mark of another file's
 * secret is a problem. Without `secretsIn` marks are text.
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

/** Text that a file gets, with a text that it has and loses, if there is one. */
interface ChangedText {
  readonly path: string
  readonly old: string
  readonly new: string
}

/** Returns the texts with the file's own secrets in place of their marks, as `restoreSecrets` does for a patch. */
export function restoreInText(
  { path, old, new: text }: ChangedText,
  fileText: string,
  secretsIn?: (text: string) => KnownMarks,
): Pick<ChangedText, 'old' | 'new'> | PatchProblem {
  if (secretsIn === undefined || !`${old}${text}`.includes('[secret:')) return { old, new: text }
  const known = secretsIn(fileText)
  const unknown = firstMark([text], (one) => known.has(one) || fileText.includes(one))
  if (unknown !== null) return markProblem(path, unknown)
  return { old: withSecrets(old, known), new: withSecrets(text, known) }
}

/** Returns a problem when a new file would contain a mark. */
export function markInNewFile(path: string, lines: readonly string[]): PatchProblem | null {
  const found = firstMark(lines, () => false)
  return found === null ? null : markProblem(path, found)
}

function withSecrets(text: string, known: KnownMarks): string {
  return text.replace(mark, (one) => known.get(one) ?? one)
}

function restoreChunks(chunks: readonly Chunk[], known: KnownMarks): readonly Chunk[] {
  const restored = (text: string) => withSecrets(text, known)
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
