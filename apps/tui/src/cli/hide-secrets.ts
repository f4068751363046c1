import { createRedactor, type Redactor, type SecretValue, secretsNamed, secretValue } from '@parley/redaction'

/** Returns the same tag for every mark: the marks of this process are compared with nothing. */
const tag = () => '00000000'

const typed: SecretValue[] = []

/** Makes reports of bugs leave out a key that the user gave this process. */
export function hideInReports(key: string): void {
  for (const secret of secretValue('login', key)) typed.push(secret)
}

/** Returns a function that replaces keys, and values of secret variables, by marks. */
export function secretHider(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  let redactor: Redactor | null = null
  return (text) => {
    redactor ??= createRedactor({ values: [...secretsNamed(env), ...typed], tag })
    return redactor.text(text)
  }
}
