import type { Doubt } from './key-shapes-table.ts'
import { isDistinctive } from './secret-names.ts'

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
  if (!hasDistinct(value, Math.min(leastDistinct, value.length - 1)) || value.includes('EXAMPLE')) return false
  if (doubt === 'none') return true
  if (standIns.test(value)) return false
  if (doubt === 'password') return !plainPasswords.test(value) && !/^[${%*]/.test(value)
  if (dottedNames.test(value) || (doubt === 'variable' && !isDistinctive(value))) return false
  return /[0-9]/.test(value) && /[A-Za-z]/.test(value)
}

/** Not by a set of its characters: this is asked of each place that text full of beginnings has. */
function hasDistinct(value: string, count: number): boolean {
  let seen = ''
  for (let at = 0; at < value.length && seen.length < count; at++) {
    const sign = value.charAt(at)
    if (!seen.includes(sign)) seen += sign
  }
  return seen.length >= count
}
