import type { ModelEvent } from '../port/model-client.ts'

export type SegmentKind = 'text' | 'reasoning'

/** Parts of text and reasoning, in turn. */
export interface Segments {
  push(kind: SegmentKind, text: string, out: ModelEvent[]): void
  /** Ends the open segment. */
  close(out: ModelEvent[]): void
  /** Ends the open segment as another kind, and returns its text; an empty text if no segment is open. */
  turnInto(kind: SegmentKind, out: ModelEvent[]): string
}

/**
 * Creates the segments of a response. The API does not mark where reasoning ends, so a change of kind begins a new
 * part. `isRaw`: the API sends reasoning as the model wrote it.
 */
export function createSegments({ isRaw }: { readonly isRaw: boolean }): Segments {
  const raw = isRaw ? ({ raw: true } as const) : {}
  let kind: SegmentKind | undefined
  let part = ''
  let text = ''
  let count = 0
  const close = (out: ModelEvent[]): void => {
    if (kind === 'text') out.push({ type: 'textDone', part, text })
    if (kind === 'reasoning') out.push({ type: 'reasoningDone', part, text, ...raw })
    kind = undefined
  }
  return {
    close,
    turnInto(other, out) {
      if (kind === undefined) return ''
      kind = other
      close(out)
      return text
    },
    push(nextKind, delta, out) {
      if (delta === '') return
      if (kind !== nextKind) {
        close(out)
        kind = nextKind
        part = `${nextKind}-${count}`
        text = ''
        count += 1
      }
      text += delta
      if (kind === 'text') out.push({ type: 'textDelta', part, text: delta })
      else out.push({ type: 'reasoningDelta', part, text: delta, ...raw })
    },
  }
}
