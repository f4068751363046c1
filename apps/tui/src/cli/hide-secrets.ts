import { createRedactor, type Redactor, type SecretValue, secretsNamed, secretValue } from '@parley/redaction'
import type { EnvVariables } from './folders.ts'

/** Returns the same tag for every mark, because marks of this process are not compared with others. */
const tag = () => '00000000'

const typed: SecretValue[] = []

/** Removes a key that the user gave this process from reports of bugs. */
export function hideInReports(key: string): void {
  for (const secret of secretValue('login', key)) typed.push(secret)
}

/** Returns a function that replaces keys, and values of secret variables, with marks. */
export function secretHider(env: EnvVariables): (text: string) => string {
  let redactor: Redactor | null = null
  return (text) => {
    redactor ??= createRedactor({ values: [...secretsNamed(env), ...typed], tag })
    return redactor.text(text)
  }
}
