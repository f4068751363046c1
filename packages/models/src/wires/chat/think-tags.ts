import type { SegmentKind } from '../segments.ts'

/** Splitter of content with reasoning between `<think>` and `</think>`, as local servers leave it. */
interface ThinkTags {
  /** Returns the certain pieces so far; the beginning of a possible tag is held back. */
  push(text: string): readonly Piece[]
  /** Notes that the server sends reasoning apart from content: a closing tag in the content then means nothing. */
  noteSeparateReasoning(): void
  /** Returns the text that was held back. `isCut`: the answer ended at the output limit. */
  end(isCut: boolean): readonly Piece[]
}

/** Text of a kind; `wasReasoning` and `wasText` correct the kind of all text so far. */
type Piece = readonly [SegmentKind | 'wasReasoning' | 'wasText', string]

const opening = '<think>'
const closing = '</think>'

/**
 * Creates the splitter of one answer. An opening tag counts only before any text; a closing one without it, which many
 * templates put into the prompt, only on a line of its own in the first text, outside of code. `beginsWithin`: the
 * model's template ends with `<think>`, so that the answer begins within.
 */
export function createThinkTags({ beginsWithin }: { readonly beginsWithin: boolean }): ThinkTags {
  let state: 'start' | 'thinking' | 'unopened' | 'firstText' | 'text' = 'start'
  let held = ''
  /** First text so far; a closing tag may come in it. */
  let seen = ''
  /** True once reasoning has ended: the empty lines after it are no part of the text. */
  let hasThought = false
  let isApart = false

  function fromStart(all: string): readonly Piece[] {
    const visible = all.trimStart()
    const text = hasThought ? visible : all
    held = text
    if (visible.startsWith(opening)) return goOn('thinking', visible.slice(opening.length))
    if (opening.startsWith(visible)) return []
    if (hasThought || isApart) return goOn('text', text)
    if (beginsWithin) return goOn('unopened', text)
    return goOn('firstText', text)
  }

  function fromThinking(text: string): readonly Piece[] {
    const at = text.indexOf(closing)
    hasThought ||= at >= 0
    if (at >= 0) return [...reasoning(text.slice(0, at)), ...goOn('start', text.slice(at + closing.length))]
    const keptLength = lengthOfCutTag(text)
    held = text.slice(text.length - keptLength)
    return reasoning(text.slice(0, text.length - keptLength))
  }

  function fromFirstText(text: string): readonly Piece[] {
    const at = findClosing(seen, text)
    if (at.kind === 'found') {
      hasThought = true
      return [
        ...textPiece(text.slice(0, at.from)),
        wasReasoning,
        ...goOn('start', text.slice(at.from + closing.length)),
      ]
    }
    const shown = at.kind === 'open' ? text.slice(0, at.from) : text
    held = text.slice(shown.length)
    seen += shown
    return textPiece(shown)
  }

  function goOn(next: typeof state, text: string): readonly Piece[] {
    state = next
    held = ''
    return text === '' ? [] : read(text)
  }

  function read(text: string): readonly Piece[] {
    if (state === 'text') return [['text', text]]
    if (state === 'firstText') return fromFirstText(text)
    return state === 'start' ? fromStart(text) : fromThinking(text)
  }

  return {
    push: (text) => read(held + text),
    noteSeparateReasoning() {
      isApart = true
      if (state === 'firstText') state = 'text'
    },
    end(isCut) {
      const rest = held
      const ended = state
      held = ''
      if (ended === 'firstText' || ended === 'unopened') state = 'text'
      if (ended === 'firstText' && rest === closing && !isInCode(seen)) return [wasReasoning]
      if (ended === 'unopened') return [...reasoning(rest), ...(isCut ? [] : [wasText])]
      return rest === '' ? [] : [[ended === 'thinking' ? 'reasoning' : 'text', rest]]
    },
  }
}

const wasReasoning: Piece = ['wasReasoning', '']
const wasText: Piece = ['wasText', '']

function reasoning(text: string): readonly Piece[] {
  return text === '' ? [] : [['reasoning', text]]
}

function textPiece(text: string): readonly Piece[] {
  return text === '' ? [] : [['text', text]]
}

interface ClosingTag {
  /** `open`: more text decides if a tag stands there. */
  readonly kind: 'found' | 'open' | 'none'
  readonly from: number
}

/** Finds a closing tag that is a line of its own, outside of code. `before` is what came before the text. */
function findClosing(before: string, text: string): ClosingTag {
  const isLineStart = before === '' || before.endsWith('\n')
  for (let from = isLineStart ? 0 : nextLine(text, 0); from < text.length; from = nextLine(text, from)) {
    const line = text.slice(from, from + closing.length + 1)
    if (closing.startsWith(line)) return { kind: 'open', from }
    if (/^<\/think>[\r\n]/.test(line) && !isInCode(before + text.slice(0, from))) return { kind: 'found', from }
  }
  return { kind: 'none', from: text.length }
}

/** Returns the start of the next line; the end of the text where there is no further line. */
function nextLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at + 1
}

/** Tests if a text ends within a block of code. */
function isInCode(text: string): boolean {
  return (text.match(/^ {0,3}```/gm) ?? []).length % 2 === 1
}

/** Returns the length of the end of a text that may be the beginning of the closing tag. */
function lengthOfCutTag(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1)
    if (closing.startsWith(text.slice(-length))) return length
  return 0
}

/** Models that always think, with `<think>` at the end of their prompt template. */
const thinkers = /qwq|deepseek-r1|r1-distill|qwen[^/]*-thinking/i

export function beginsWithinThought(model: string): boolean {
  return thinkers.test(model)
}
