import { createHmac } from 'node:crypto'
import type { OutputFilter } from '@parley/host'
import { redactOutput } from './output-filter.ts'
import { readRedactionKey } from './redaction-key.ts'
import { createRedactor, markFor, type RedactedStream, type Redactor } from './scan/redactor.ts'
import { kindOf, secretsNamed, secretValue } from './scan/secret-names.ts'
import type { SecretValue } from './scan/value-forms.ts'

/** What keeps secrets out of all that a server writes down and passes on. One for all of its conversations. */
export interface Redaction {
  text(text: string): string
  /** Of a text that goes on and is cut here: less what may be half a secret at its end, which nothing tells afterwards. */
  beginning(text: string): string
  /** For a text that comes in pieces. */
  stream(): RedactedStream
  /** For the output of one command. */
  filter(): OutputFilter
  /** From now on these are secret too. */
  learn(values: readonly SecretValue[]): void
  /** The mark for something that is secret by what it was asked as, however common it is; it is known as secret from now on. */
  hide(name: string, value: string): string
  /** Whether some secret is in it. */
  touches(text: string): boolean
  /** The secrets in it, as they stand there, by their marks. */
  secretsIn(text: string): ReadonlyMap<string, string>
}

export interface RedactionParts {
  /** `$PARLEY_HOME`, for the key of the marks. */
  readonly home: string
  /** Secret is what its name says is. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export function createRedaction({ home, env }: RedactionParts): Redaction {
  const values = new Map(secretsNamed(env).map((secret) => [secret.value, secret]))
  let key: Buffer | null = null
  let redactor: Redactor | null = null

  /** Most servers never see a secret, and those make no key. */
  function tag(value: string): string {
    key ??= readRedactionKey(home)
    return createHmac('sha256', key).update(value).digest('hex').slice(0, 8)
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
    beginning: (text) => current().stream().push(text),
    stream: () => current().stream(),
    filter: () => redactOutput(current().stream()),
    learn,
    hide(name, value) {
      learn(secretValue(name, value))
      return markFor(kindOf(name), tag(value))
    },
    secretsIn: (text) => current().secretsIn(text),
    touches: (text) => current().text(text) !== text,
  }
}
