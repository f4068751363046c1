import { type Haystack, inBytes, inText, type StopTables } from './haystack.ts'
import type { SecretValue } from './known-values.ts'
import { contextLength, patternsFor, type SecretMatch } from './pattern.ts'
import { indexPatterns, type PatternIndex } from './pattern-index.ts'
import { scan } from './scan.ts'
import { firstLane, type Lane, scanSeen } from './scan-seen.ts'
import { type BytePiece, mayHide, mayHideInBytes, type TextForm, unseenTable } from './unseen.ts'

/** Replaces secrets in texts by marks. Leaves its own output unchanged. */
export interface Redactor {
  /** Returns the redacted text; the same text where it has no secret. */
  text(text: string): string
  /** Returns the secrets, as the text has them, by the marks that replace them. */
  secretsIn(text: string): ReadonlyMap<string, string>
  stream(): RedactedStream
}

/**
 * Redactor of a text that arrives in pieces. It holds back a possible beginning of a secret. Its output, joined, equals
 * the redacted whole.
 */
export interface RedactedStream {
  push(piece: string): string
  /** Adds bytes, read as one character each. Returns the output, or the number of bytes that pass unchanged. */
  pushBytes(piece: BytePiece): string | number
  end(): string
}

export interface RedactorParts {
  readonly values: readonly SecretValue[]
  /** Returns eight hex digits: equal for equal values, and useless for finding the value. */
  readonly tag: (value: string) => string
}

/** Returns the mark that replaces a secret; `tag` comes from `RedactorParts.tag`. */
export function markFor(kind: string, tag: string): string {
  return `[secret:${kind}:${tag}]`
}

export function createRedactor({ values, tag }: RedactorParts): Redactor {
  const index = indexPatterns(patternsFor(values))
  const { marked } = index
  const search: Search = {
    index,
    tables: {
      characters: { marked, unseen: unseenTable('characters') },
      bytes: { marked, unseen: unseenTable('bytes') },
    },
  }
  const markOf = ({ secret }: SecretMatch, text: string) =>
    secret === null ? text : markFor(secret.kind, tag(secret.value))
  return {
    text: (text) => replaceFound({ text, from: 0, to: text.length }, findAll(search, text), markOf),
    secretsIn(text) {
      const secrets = findAll(search, text).filter(({ secret }) => secret !== null)
      const standing = secrets.map((one) => text.slice(one.start, one.end))
      return new Map(secrets.map((one, nth) => [markOf(one, ''), standing[nth] ?? '']))
    },
    stream: () => createStream(search, markOf),
  }
}

interface Search {
  readonly index: PatternIndex
  readonly tables: Readonly<Record<TextForm, StopTables>>
}

/** Finds the secrets of a whole text: in the text itself and, where parts are invisible, in the visible text. */
function findAll({ index, tables }: Search, text: string): readonly SecretMatch[] {
  const form = 'characters'
  if (!mayHide(text, form)) {
    const range = { from: 0, whole: true, afterSecret: false }
    const { found, hides } = scan(index, inText(text, tables[form]), range)
    if (!hides) return found
  }
  return scanSeen(index, { text, form, isWhole: true, lanes: [firstLane] }).found
}

type MarkOf = (found: SecretMatch, text: string) => string

function createStream({ index, tables }: Search, markOf: MarkOf): RedactedStream {
  let form: TextForm = 'characters'
  let lanes: readonly Lane[] = [firstLane]
  let held = ''

  /** Scans a haystack that begins with the context and the held text. Returns null if part of it is invisible. */
  function takePlain(hay: Haystack, isWhole: boolean): string | number | null {
    if (lanes.length > 1) return null
    const { context, afterSecret } = lanes[0] ?? firstLane
    const from = context.length
    const { found, settled, hides } = scan(index, hay, { from, whole: isWhole, afterSecret })
    if (hides) return null
    const isPlain = held === '' && found.every(({ secret }) => secret === null)
    const out = isPlain ? settled - from : replaceFound({ text: hay.text(), from, to: settled }, found, markOf)
    held = hay.slice(settled, hay.length)
    const endsSecret = settled > from ? found.at(-1)?.end === settled : afterSecret
    lanes = [{ context: hay.slice(Math.max(0, settled - contextLength), settled), afterSecret: endsSecret }]
    return out
  }

  function takeSeen(text: string, isWhole: boolean): string {
    const { found, settled, lanes: after } = scanSeen(index, { text, form, isWhole, lanes })
    lanes = after
    held = text.slice(settled)
    return replaceFound({ text, from: 0, to: settled }, found, markOf)
  }

  const before = () => (lanes[0]?.context ?? '') + held

  function takeText(piece: string, isWhole: boolean): string {
    const text = held + piece
    const out = mayHide(text, form) ? null : takePlain(inText(before() + piece, tables[form]), isWhole)
    return typeof out === 'number' ? text.slice(0, out) : (out ?? takeSeen(text, isWhole))
  }

  return {
    push: (piece) => takeText(piece, false),
    pushBytes(piece) {
      form = 'bytes'
      const isSuspect = (held !== '' && mayHide(held, form)) || mayHideInBytes(piece)
      const out = isSuspect ? null : takePlain(inBytes({ ...piece, before: before() }, tables[form]), false)
      return out ?? takeSeen(held + piece.decode(0, piece.bytes.length), false)
    },
    end: () => takeText('', true),
  }
}

interface TextRange {
  readonly text: string
  readonly from: number
  readonly to: number
}

function replaceFound({ text, from, to }: TextRange, found: readonly SecretMatch[], markOf: MarkOf): string {
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
