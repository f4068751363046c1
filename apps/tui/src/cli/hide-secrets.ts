import { createRedactor, type Redactor, secretsNamed } from '@parley/redaction'

/** Marks of what only this process writes down; nothing else is compared with them. */
const tag = () => '00000000'

/** A text with marks in place of keys, and of what the environment holds under a secret name. */
export function secretHider(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  let redactor: Redactor | null = null
  return (text) => {
    redactor ??= createRedactor({ values: secretsNamed(env), tag })
    return redactor.text(text)
  }
}
