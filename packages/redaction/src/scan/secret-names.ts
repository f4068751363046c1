import type { SecretValue } from './value-forms.ts'

/** Shorter ones would be found in ordinary words. */
const leastLength = 8

const secretWords =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|AUTHORIZATION/i
const secretSegment = /(^|[_.-])(KEY|PASS|PAT|DSN|AUTH|PWD|COOKIE)([_.-]|$)/i
/** What is said of a secret rather than the secret: where it lies, how long it lasts. */
const aboutSecrets =
  /(FILE|PATH|DIR|FOLDER|SOCK|ID|NAME|URL|URI|HOST|ENDPOINT|TTL|EXPIRY|EXPIRES|EXPIRES_AT|LENGTH|LIMIT|TYPE|COUNT|SIZE|ENABLED|ENV_VAR|FINGERPRINT|HELPER|DOMAIN|REGION|PROVIDER|METHOD|MODE|ISSUER|AUDIENCE|REALM|ALGORITHM|ALG|SCOPES?|VERSION|PREFIX|MANAGER|STORE|BACKEND|PARALLELISM)$/i

/** Keys that open nothing, and tokens that are pieces of text. */
const otherSenses =
  /PUBLIC|TOKENI[ZS]|(^|_)(PRIMARY|FOREIGN|UNIQUE|INDEX|SORT|PARTITION|GROUP|ROUTING|CACHE|OBJECT|S3|HOT)_?KEY($|_)/i

/** Whether what goes by this name is secret: of a variable of the environment, or of a header. */
export function isSecretName(name: string): boolean {
  if (/^(OLD)?PWD$/.test(name) || otherSenses.test(name)) return false
  return (secretWords.test(name) || secretSegment.test(name)) && !aboutSecrets.test(name.replaceAll('-', '_'))
}

const commonValues =
  /^(true|false|yes|no|none|null|undefined|default|disabled|enabled|required|optional|production|development|password|passw0rd|changeme|postgres|localhost|username|anonymous|keychain|libsecret)$/i

/**
 * Whether a value is rare enough to be looked for everywhere. A path, a plain word or a short number is not: it would
 * be marked wherever it means something else.
 */
export function isDistinctive(value: string): boolean {
  if (value.length < leastLength || commonValues.test(value)) return false
  if (/^(\/|~|\.\.?\/|[A-Za-z]:\\)/.test(value) && /^[\w./\\:~ -]+$/.test(value)) return false
  if (new Set(value).size < 4) return false
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length
  return kinds > 1 || value.length >= 16
}

/** What of an environment, or of headers, is secret by its name. */
export function secretsNamed(entries: Readonly<Record<string, string | undefined>>): readonly SecretValue[] {
  return Object.entries(entries).flatMap(([name, value]) =>
    value === undefined || !isSecretName(name) ? [] : secretValue(name, value),
  )
}

/** Nothing where the value is too common to be looked for. */
export function secretValue(name: string, value: string): readonly SecretValue[] {
  const trimmed = value.trim()
  return isDistinctive(trimmed) ? [{ kind: kindOf(name), value: trimmed }] : []
}

/** Marks keep names short, and free of what would end them. */
export function kindOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 32) || 'value'
}
