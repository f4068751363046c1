import { base64Of, utf8Bytes } from '@parley/text'

/** Known secret value, and the kind that its mark shows. */
export interface SecretValue {
  readonly kind: string
  readonly value: string
}

/** Returns the values of an environment, or of headers, that have a secret name and are rare enough to search for. */
export function secretsNamed(entries: Readonly<Record<string, string | undefined>>): readonly SecretValue[] {
  return Object.entries(entries).flatMap(([name, value]) =>
    value === undefined || !isSecretName(name) ? [] : secretValue(name, value),
  )
}

/** Returns the value as a secret; an empty list for a value that is too common to search for. */
export function secretValue(name: string, value: string): readonly SecretValue[] {
  const trimmed = value.trim()
  return isDistinctive(trimmed) ? [{ kind: kindOf(name), value: trimmed }] : []
}

/** Returns a name in the form that fits into a mark: short, and without the characters that end one. */
export function kindOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 32) || 'value'
}

const secretWords =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|AUTHORIZATION/i
const secretSegment = /(^|[_.-])(KEY|PASS|PAT|DSN|AUTH|PWD|COOKIE)([_.-]|$)/i
/** Endings of names that describe a secret, such as its path or lifetime, and do not hold it. */
const aboutSecrets =
  /(FILE|PATH|DIR|FOLDER|SOCK|ID|NAME|URL|URI|HOST|ENDPOINT|TTL|EXPIRY|EXPIRES|EXPIRES_AT|LENGTH|LIMIT|TYPE|COUNT|SIZE|ENABLED|ENV_VAR|FINGERPRINT|HELPER|DOMAIN|REGION|PROVIDER|METHOD|MODE|ISSUER|AUDIENCE|REALM|ALGORITHM|ALG|SCOPES?|VERSION|PREFIX|MANAGER|STORE|BACKEND|PARALLELISM)$/i

/** Names with another sense of "key" or "token", such as keys of tables and pieces of text. */
const otherSenses =
  /PUBLIC|TOKENI[ZS]|(^|_)(PRIMARY|FOREIGN|UNIQUE|INDEX|SORT|PARTITION|GROUP|ROUTING|CACHE|OBJECT|S3|HOT)_?KEY($|_)/i

/** Tells whether the name of a variable or header says that its value is secret. */
export function isSecretName(name: string): boolean {
  if (/^(OLD)?PWD$/.test(name) || otherSenses.test(name)) return false
  return (secretWords.test(name) || secretSegment.test(name)) && !aboutSecrets.test(name.replaceAll('-', '_'))
}

/** Length below which a value would be found in ordinary words. */
const leastLength = 8

const commonValues =
  /^(true|false|yes|no|none|null|undefined|default|disabled|enabled|required|optional|production|development|password|passw0rd|changeme|postgres|localhost|username|anonymous|keychain|libsecret)$/i

/**
 * Tells whether a value is rare enough to search for in all text. A path, a plain word or a short number is not: it
 * would be marked wherever it means something else.
 */
export function isDistinctive(value: string): boolean {
  if (value.length < leastLength || commonValues.test(value)) return false
  if (/^(\/|~|\.\.?\/|[A-Za-z]:\\)/.test(value) && /^[\w./\\:~ -]+$/.test(value)) return false
  if (new Set(value).size < 4) return false
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length
  return kinds > 1 || value.length >= 16
}

/** Spelling of a value in text. */
export interface ValueForm {
  readonly text: string
  /** True where a line may end anywhere within it. */
  readonly isBase64: boolean
}

/**
 * Returns the spellings of a value in text: unchanged, in JSON, in JSON in JSON, in a URL, as UTF-8 bytes, and inside
 * base64, with one form for each offset in a group of three bytes.
 */
export function formsOf(value: string): readonly ValueForm[] {
  const json = JSON.stringify(value).slice(1, -1)
  const inside = [0, 1, 2].map((offset) => base64Inside(value, offset))
  const urlSafe = inside.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const plain = [value, ...jsonForms(json), JSON.stringify(json).slice(1, -1), ...urlForms(value), bytesForm(value)]
  const form = (isBase64: boolean) => (text: string) => ({ text, isBase64 })
  return [...[...new Set(plain)].map(form(false)), ...[...new Set([...inside, ...urlSafe])].map(form(true))]
}

/** Returns the JSON spellings of a string: with `\/` (PHP), in ASCII (Python), without signs of HTML (Go, Java). */
function jsonForms(json: string): readonly string[] {
  const escaped = (signs: RegExp) =>
    json.replaceAll(signs, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [
    json,
    json.replaceAll('/', String.raw`\/`),
    escaped(/[\u007f-\uffff]/g),
    escaped(/[<>&]/g),
    escaped(/[<>&\u007f-\uffff]/g),
    escaped(/[<>&='\u007f-\uffff]/g),
  ]
}

/** Returns the base64 characters that hold bytes of the value only, if `offset` bytes precede it in its group. */
function base64Inside(value: string, offset: number): string {
  const bytes = [...Array<number>(offset).fill(0), ...utf8Bytes(value)]
  return base64Of(bytes).slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Returns the value as a part of a URL, as a whole one and in a form, with either case of `%2F`. */
function urlForms(value: string): readonly string[] {
  const part = encodeURIComponent(value.toWellFormed())
  const inForm = part
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [part, encodeURI(value.toWellFormed()), inForm]
  return [...forms, ...forms.map((form) => form.replaceAll(/%../g, (sign) => sign.toLowerCase()))]
}

/** Returns the UTF-8 bytes as one character each, the form of scanned command output. */
function bytesForm(value: string): string {
  return utf8Bytes(value)
    .map((byte) => String.fromCharCode(byte))
    .join('')
}
