/** Key of a provider, as the user gave it. */
export interface KeyCredential {
  readonly kind: 'key'
  readonly key: string
}

export type Credential = KeyCredential

/** Name under which a credential is kept: kind of its user, slash, id. */
export type CredentialName = `provider/${string}`

/** Place where a credential is kept. */
export type Place = 'file' | 'keyring'

/** Returns a stored value as a credential; null when it is none that this version knows. */
export function asCredential(value: unknown): Credential | null {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null
  if (value.kind !== 'key' || !('key' in value) || typeof value.key !== 'string') return null
  return keyFault(value.key) === null ? { kind: 'key', key: value.key } : null
}

/** Returns the texts of a credential that must never be shown. */
export function secretsOf(credential: Credential): readonly string[] {
  return [credential.key]
}

const maxKeyChars = 16_384

/** Returns why a text cannot be a key, as the end of a sentence; null for one that can. */
export function keyFault(key: string): string | null {
  if (key === '') return 'it is empty'
  if (key.length > maxKeyChars) return `it is longer than ${maxKeyChars} characters`
  if (/[\r\n]/.test(key)) return 'it has more than one line'
  // A header takes visible ASCII only, and no key has anything else.
  if (/[^\x21-\x7e]/.test(key)) return 'it has a blank, a control character or a letter that no key has'
  return null
}
