export { markShape } from './pattern.ts'
export { createRedactor, markFor, type RedactedStream, type Redactor } from './redactor.ts'
export { isSecretName, kindOf, secretsNamed, secretValue } from './secret-names.ts'
export type { SecretValue } from './value-forms.ts'
