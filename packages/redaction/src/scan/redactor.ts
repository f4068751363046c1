import { contextLength, type Found, patternsFor } from './pattern.ts'
import { indexPatterns, type PatternIndex, scan } from './scan.ts'
import { type ByteText, type Haystack, inBytes, inText } from './trigrams.ts'
import type { SecretValue } from './value-forms.ts'

/** Takes secrets out of texts and puts marks in their place. What it has been through it leaves as it is. */
export interface Redactor {
  /** The same text where there is no secret in it. */
  text(text: string): string
  /** The secrets in it, as they stand there, by their marks. */
  secretsIn(text: string): ReadonlyMap<string, string>
  stream(): RedactedStream
}

/**
 * A text that comes in pieces. What may be the beginning of a secret is held back until that is known; all that is
 * handed out, joined, is what `text` makes of the whole.
 */
export interface RedactedStream {
  push(piece: string): string
  /**
   * Bytes, as a text of one character each. A number: so much of the piece, from its start, goes through as it is.
   */
  pushBytes(bytes: Uint8Array, decode: ByteText['decode']): string | number
  end(): string
}

export interface RedactorParts {
  readonly values: readonly SecretValue[]
  /** Eight hex digits for a value: the same for the same, and of no use to find it by. */
  readonly tag: (value: string) => string
}

/** `tag`: see `RedactorParts`. */
export function markFor(kind: string, tag: string): string {
  return `[secret:${kind}:${tag}]`
}

export function createRedactor({ values, tag }: RedactorParts): Redactor {
  const index = indexPatterns(patternsFor(values))
  const markOf = ({ secret }: Found, text: string) => (secret === null ? text : markFor(secret.kind, tag(secret.value)))
  return {
    text(text) {
      const { found } = scan(index, inText(text, index.marked), { from: 0, whole: true, afterSecret: false })
      return replaceFound({ text, from: 0, to: text.length }, found, markOf)
    },
    secretsIn(text) {
      const { found } = scan(index, inText(text, index.marked), { from: 0, whole: true, afterSecret: false })
      const secrets = found.filter(({ secret }) => secret !== null)
      const standing = secrets.map((one) => text.slice(one.start, one.end))
      return new Map(secrets.map((one, nth) => [markOf(one, ''), standing[nth] ?? '']))
    },
    stream: () => createStream(index, markOf),
  }
}

type MarkOf = (found: Found, text: string) => string

function createStream(index: PatternIndex, markOf: MarkOf): RedactedStream {
  /** The end of what was handed out, as it came: what is held is judged by what precedes it. */
  let context = ''
  let held = ''
  let afterSecret = false

  /** The text begins with the context and what was held. */
  function take(hay: Haystack, whole: boolean): string | number {
    const from = context.length
    const { found, settled } = scan(index, hay, { from, whole, afterSecret })
    const isPlain = held === '' && found.every(({ secret }) => secret === null)
    const out = isPlain ? settled - from : replaceFound({ text: hay.text(), from, to: settled }, found, markOf)
    if (settled > from) afterSecret = found.at(-1)?.end === settled
    held = hay.slice(settled, hay.length)
    context = hay.slice(Math.max(0, settled - contextLength), settled)
    return out
  }

  function takeText(piece: string, whole: boolean): string {
    const text = held + piece
    const out = take(inText(context + text, index.marked), whole)
    return typeof out === 'number' ? text.slice(0, out) : out
  }

  return {
    push: (piece) => takeText(piece, false),
    pushBytes: (bytes, decode) => take(inBytes({ before: context + held, bytes, decode }, index.marked), false),
    end: () => takeText('', true),
  }
}

interface Part {
  readonly text: string
  readonly from: number
  readonly to: number
}

function replaceFound({ text, from, to }: Part, found: readonly Found[], markOf: MarkOf): string {
  if (found.every(({ secret }) => secret === null))
    return from === 0 && to === text.length ? text : text.slice(from, to)
  const pieces: string[] = []
  let at = from
  for (const one of found) {
    pieces.push(text.slice(at, one.start), markOf(one, text.slice(one.start, one.end)))
    at = one.end
  }
  return [...pieces, text.slice(at, to)].join('')
}
