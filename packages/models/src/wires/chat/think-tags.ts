import type { SegmentKind } from '../segments.ts'

/** Splitter of content in which a local server leaves reasoning between `<think>` and `</think>`. */
interface ThinkTags {
  /** Returns what is certain so far; the beginning of a possible tag is held back. */
  push(text: string): readonly Piece[]
  /** Returns what was held back; the splitter begins anew. */
  end(): readonly Piece[]
}

type Piece = readonly [SegmentKind, string]

const opening = '<think>'
const closing = '</think>'

/**
 * Creates the splitter of one answer. Only a tag before any text counts: further on the model may be writing about the
 * tag itself.
 */
export function createThinkTags(): ThinkTags {
  let state: 'start' | 'thinking' | 'text' = 'start'
  let held = ''
  /** True once reasoning has ended: the empty lines after it are no part of the text. */
  let hasThought = false

  function fromStart(all: string): readonly Piece[] {
    const visible = all.trimStart()
    const text = hasThought ? visible : all
    held = text
    if (visible.startsWith(opening)) return goOn('thinking', visible.slice(opening.length))
    return opening.startsWith(visible) ? [] : goOn('text', text)
  }

  function fromThinking(text: string): readonly Piece[] {
    const at = text.indexOf(closing)
    hasThought ||= at >= 0
    if (at >= 0) return [...reasoning(text.slice(0, at)), ...goOn('start', text.slice(at + closing.length))]
    const keptLength = lengthOfCutTag(text)
    held = text.slice(text.length - keptLength)
    return reasoning(text.slice(0, text.length - keptLength))
  }

  function goOn(next: typeof state, text: string): readonly Piece[] {
    state = next
    held = ''
    return text === '' ? [] : read(text)
  }

  function read(text: string): readonly Piece[] {
    if (state === 'text') return [['text', text]]
    return state === 'start' ? fromStart(text) : fromThinking(text)
  }

  return {
    push: (text) => read(held + text),
    end() {
      const pieces: readonly Piece[] = held === '' ? [] : [[state === 'thinking' ? 'reasoning' : 'text', held]]
      held = ''
      return pieces
    },
  }
}

function reasoning(text: string): readonly Piece[] {
  return text === '' ? [] : [['reasoning', text]]
}

/** Returns the length of the end of a text that may be the beginning of the closing tag. */
function lengthOfCutTag(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1)
    if (closing.startsWith(text.slice(-length))) return length
  return 0
}
