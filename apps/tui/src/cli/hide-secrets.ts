import { createRedactor, type Redactor, secretsNamed } from '@parley/redaction'

/** Returns the same tag for every mark: the marks of this process are compared with nothing. */
const tag = () => '00000000'

/** Returns a function that replaces keys, and values of secret variables, by marks. */
export function secretHider(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  let redactor: Redactor | null = null
  return (text) => {
    redactor ??= createRedactor({ values: secretsNamed(env), tag })
    return redactor.text(text)
  }
}
