import type { ModelEvent } from '../port/model-client.ts'

type Kind = 'text' | 'reasoning'

/** Parts of text and reasoning, in turn. */
export interface Segments {
  push(kind: Kind, text: string, out: ModelEvent[]): void
  /** Ends the open segment. */
  close(out: ModelEvent[]): void
}

/** Creates the segments of a response. The API does not mark where reasoning ends, so a change of kind begins a new part. */
export function createSegments(): Segments {
  let kind: Kind | undefined
  let part = ''
  let text = ''
  let count = 0
  const close = (out: ModelEvent[]): void => {
    if (kind !== undefined) out.push({ type: kind === 'text' ? 'textDone' : 'reasoningDone', part, text })
    kind = undefined
  }
  return {
    close,
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
      out.push({ type: nextKind === 'text' ? 'textDelta' : 'reasoningDelta', part, text: delta })
    },
  }
}
