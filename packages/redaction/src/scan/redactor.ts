import { type ByteText, type Haystack, inBytes, inText } from './haystack.ts'
import type { SecretValue } from './known-values.ts'
import { contextLength, type Found, patternsFor } from './pattern.ts'
import { indexPatterns, type PatternIndex } from './pattern-index.ts'
import { scan } from './scan.ts'

/** Redactor that replaces secrets in texts by marks. Its own output stays as it is. */
export interface Redactor {
  /** Returns the redacted text; the same text where it has no secret. */
  text(text: string): string
  /** Returns the secrets of the text, as written there, by their marks. */
  secretsIn(text: string): ReadonlyMap<string, string>
  stream(): RedactedStream
}

/**
 * Redactor of a text that arrives in pieces. It holds back what may begin a secret until that is decided. Its output,
 * joined, equals the redacted whole.
 */
export interface RedactedStream {
  push(piece: string): string
  /** Adds bytes, read as one character each. Returns the output, or how many bytes of the piece pass unchanged. */
  pushBytes(bytes: Uint8Array, decode: ByteText['decode']): string | number
  /** Returns the redacted rest. */
  end(): string
}

export interface RedactorParts {
  readonly values: readonly SecretValue[]
  /** Returns eight hex digits: equal for equal values, and useless for finding the value. */
  readonly tag: (value: string) => string
}

/** Returns the mark that replaces a secret; `tag` is that of `RedactorParts`. */
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
  /** Original text at the end of the output so far: it decides whether a secret may begin after it. */
  let context = ''
  let held = ''
  let afterSecret = false

  /** Scans a haystack that begins with the context and the held text. */
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
