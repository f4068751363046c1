import type { Doubt } from './key-shapes-table.ts'

/** What documentation and tests write where a secret would be. */
const standIns =
  /example|placeholder|your[_-]?|changeme|change-me|dummy|redacted|xxxx|\*\*\*|\.\.\.|test[_-]?(key|token)|<|\$\{|secret:/i
const plainPasswords =
  /^(pass(word|wd|phrase)?|pwd|secret|token|user(name)?|key|x-oauth-basic|test(ing)?|foo|bar|baz|abc|hunter2|admin|root|guest|[a-z]|[0-9]{1,5}|%[a-z]|[A-Z_]+)$/i

/** In code, what a secret is taken from. */
const dottedNames = /^[A-Za-z_]\w{0,30}(\.[A-Za-z_]\w{0,30})+$/

const leastDistinct = 5

/** Whether a value of a key's shape is one: a stand-in is not, nor where the shape leaves doubt is an ordinary word. */
export function looksSecret(value: string, doubt: Doubt): boolean {
  if (value.includes('EXAMPLE') || new Set(value).size < Math.min(leastDistinct, value.length - 1)) return false
  if (doubt === 'none') return true
  if (standIns.test(value)) return false
  if (doubt === 'password') return !plainPasswords.test(value) && !/^[${%*]/.test(value)
  if (dottedNames.test(value)) return false
  return /[0-9]/.test(value) && /[A-Za-z]/.test(value)
}
