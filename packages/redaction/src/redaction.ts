import { isAscii } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { type OutputFilter, timeSlices } from '@parley/host'
import { readRedactionKey } from './redaction-key.ts'
import { kindOf, type SecretValue, secretsNamed, secretValue } from './scan/known-values.ts'
import { createRedactor, markFor, type RedactedStream, type Redactor } from './scan/redactor.ts'

/** Redaction of a server: replaces secrets by marks in everything that its conversations store or send. */
export interface Redaction {
  /** Returns the text with marks in place of secrets; the same text without secrets. */
  text(text: string): string
  /** Redacts a long text in slices, so that other tasks can run in between. */
  longText(text: string): Promise<string>
  /** Redacts a text that is cut off at its end. Leaves out an end that may be the first half of a secret. */
  excerpt(text: string): string
  stream(): RedactedStream
  filter(): OutputFilter
  /** Uses the key of a team for marks and seals from now on, so that its servers recognise each other's. */
  useKey(shared: Uint8Array): void
  learn(values: readonly SecretValue[]): void
  /** Returns the mark for a value that is secret even if it is a common word, and learns the value. */
  hide(name: string, value: string): string
  /** Returns a checksum that only the owner of the key can make. */
  seal(text: string): string
  hasSecret(text: string): boolean
  /** Returns the secrets of the text, as written there, by their marks. */
  secretsIn(text: string): ReadonlyMap<string, string>
}

interface RedactionParts {
  /** Path of `$PARLEY_HOME`, which holds the key of marks and seals. */
  readonly home: string
  /** Environment variables; a variable with a secret name is secret. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export function createRedaction({ home, env }: RedactionParts): Redaction {
  const values = new Map(secretsNamed(env).map((secret) => [secret.value, secret]))
  let key: Uint8Array | null = null
  let redactor: Redactor | null = null

  /** Returns the tag of a mark. Reads the key only here: most servers never meet a secret and need no key file. */
  function tag(value: string): string {
    return createHmac('sha256', ownKey()).update(value).digest('hex').slice(0, 8)
  }

  function ownKey(): Uint8Array {
    key ??= readRedactionKey(home)
    return key
  }

  function current(): Redactor {
    redactor ??= createRedactor({ values: [...values.values()], tag })
    return redactor
  }

  function learn(more: readonly SecretValue[]): void {
    const unknown = more.filter(({ value }) => !values.has(value))
    if (unknown.length === 0) return
    for (const secret of unknown) values.set(secret.value, secret)
    redactor = null
  }

  return {
    text: (text) => current().text(text),
    longText: (text) => redactInSlices(text, current()),
    excerpt: (text) => current().stream().push(text),
    stream: () => current().stream(),
    filter: () => redactOutput(current().stream()),
    learn,
    useKey(shared) {
      key = shared
      redactor = null
    },
    hide(name, value) {
      learn(secretValue(name, value))
      return markFor(kindOf(name), tag(value))
    },
    // The prefix keeps seals apart from tags, which show the beginning of the key's output for any text.
    seal: (text) => createHmac('sha256', ownKey()).update('seal\0').update(text).digest('hex'),
    secretsIn: (text) => current().secretsIn(text),
    hasSecret: (text) => current().text(text) !== text,
  }
}

/** Characters that are redacted between two looks at the time. */
const sliceLength = 64 * 1024

/** Redacts a text in slices of time. Resolves to the same text, uncopied, if it has no secret. */
export async function redactInSlices(text: string, redactor: Pick<Redactor, 'text' | 'stream'>): Promise<string> {
  if (text.length <= sliceLength) return redactor.text(text)
  const stream = redactor.stream()
  const slices = timeSlices()
  const pieces: string[] = []
  /** Number of leading output characters equal to the text; null after the first difference. */
  let same: number | null = 0
  const take = (out: string) => {
    if (same !== null && text.startsWith(out, same)) same += out.length
    else {
      if (same !== null) pieces.push(text.slice(0, same))
      same = null
      pieces.push(out)
    }
  }
  for (let at = 0; at < text.length; at += sliceLength) {
    take(stream.push(text.slice(at, at + sliceLength)))
    if (slices.isOver()) await slices.next()
  }
  take(stream.end())
  return same === text.length ? text : pieces.join('')
}

/** Returns a filter that replaces secrets in the output of a command. It reads each byte as one character. */
export function redactOutput(stream: RedactedStream): OutputFilter {
  return {
    push(chunk) {
      const out = stream.pushBytes({
        bytes: chunk,
        isAscii: isAscii(chunk),
        includes: (text) => chunk.includes(text, 0, 'latin1'),
        decode: (from, to) => chunk.toString('latin1', from, to),
      })
      return typeof out === 'number' ? chunk.subarray(0, out) : Buffer.from(out, 'latin1')
    },
    end(cut) {
      const rest = stream.end()
      if (!cut) return Buffer.from(rest, 'latin1')
      const { shown, withheld } = splitUnfinished(rest)
      const gap = withheld === '' ? '' : `[${withheld.length} bytes left out: cut off, perhaps within a secret]`
      return Buffer.from(shown + gap, 'latin1')
    },
  }
}

/** Number of characters of a secret that are worth withholding; fewer reveal nothing. */
const revealingLength = 12
const mark = /\[secret:[^\]]*\]/

/** Splits the last held text of a stream that was cut off. The end after its last mark may be half of a secret. */
export function splitUnfinished(rest: string): { readonly shown: string; readonly withheld: string } {
  const withheld = rest.split(mark).at(-1) ?? ''
  if (withheld.length < revealingLength) return { shown: rest, withheld: '' }
  return { shown: rest.slice(0, rest.length - withheld.length), withheld }
}
