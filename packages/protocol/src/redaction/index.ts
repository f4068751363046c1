export { createRedactor, type RedactedStream, type Redactor } from './redactor.ts'
export { isSecretName, secretsNamed, secretValue } from './secret-names.ts'
export type { SecretValue } from './value-forms.ts'
