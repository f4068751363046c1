import type { EditorTexts } from '@parley/engine'
import type { ConversationId } from '@parley/protocol'

/** Reads a file from an editor. Rejects where the editor fails or has no such file. */
type ReadText = (path: string, signal: AbortSignal) => Promise<string>

/** Texts that the editors of sessions offer to the engine. */
export interface OfferedTexts extends EditorTexts {
  /** Offers the texts of the editor of a session until disposal. */
  offer(conversationId: ConversationId, read: ReadText): Disposable
}

/** `limitMs` is the time for an answer: an editor that exceeds it once is not asked again. */
export function offeredTexts(limitMs: number): OfferedTexts {
  const readers = new Map<ConversationId, ReadText>()

  function withdraw(conversationId: ConversationId, read: ReadText): void {
    if (readers.get(conversationId) === read) readers.delete(conversationId)
  }

  return {
    offer(conversationId, read) {
      readers.set(conversationId, read)
      return { [Symbol.dispose]: () => withdraw(conversationId, read) }
    },
    async read(conversationId, path, signal) {
      const read = readers.get(conversationId)
      if (read === undefined) return null
      const late = AbortSignal.timeout(limitMs)
      try {
        return await read(path, AbortSignal.any([signal, late]))
      } catch {
        if (late.aborted) withdraw(conversationId, read)
        return null
      }
    },
  }
}
