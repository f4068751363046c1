import type { ModelEvent } from '../../port/model-client.ts'

type Kind = 'text' | 'reasoning'

export interface Segments {
  push(kind: Kind, text: string, out: ModelEvent[]): void
  /** The open one ends here. */
  close(out: ModelEvent[]): void
}

/** This wire does not mark where thinking ends and speaking begins: a change of kind closes one part and opens the next. */
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
