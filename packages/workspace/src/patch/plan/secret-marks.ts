import { markShape } from '@parley/redaction'
import type { Chunk, ChunkLine, Hunk } from './parse-chunks.ts'

/** Marks and the secrets they stand for. */
export type KnownMarks = ReadonlyMap<string, string>

const mark = new RegExp(String.raw`\[${markShape}`, 'g')

export function mentionsMarks({ kind, ...hunk }: Hunk): boolean {
  return kind !== 'delete' && JSON.stringify(hunk).includes('[secret:')
}

/**
 * Chunks with the secrets of their file where the model, which sees only marks, wrote marks. A secret gets no further
 * than that: what stands for one of another place stays a mark.
 */
export function restoreChunks(chunks: readonly Chunk[], known: KnownMarks): readonly Chunk[] {
  const restored = (text: string) => text.replace(mark, (one) => known.get(one) ?? one)
  return chunks.map((chunk) => ({
    ...chunk,
    contexts: chunk.contexts.map(restored),
    lines: chunk.lines.flatMap((line) => linesOf(line, restored(line.text))),
  }))
}

/** One mark may stand for a key of many lines. */
function linesOf(line: ChunkLine, text: string): readonly ChunkLine[] {
  return text.split(/\r?\n/).map((one) => ({ ...line, text: one }))
}

/** The first mark that would be written as it is, as if it were the secret. */
export function strayMark(texts: readonly string[], isKnown: (mark: string) => boolean): string | null {
  return texts.flatMap((text) => text.match(mark) ?? []).find((one) => !isKnown(one)) ?? null
}
