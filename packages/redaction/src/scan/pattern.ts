import { type Doubt, keyShapes } from './key-shapes.ts'
import { formsOf, isDistinctive, isSecretName, type SecretValue } from './known-values.ts'
import { blockPrefix, matchKeyBlock } from './private-key-block.ts'
import { fullEnd, isWordCode, matchShape, prefixOf, readShape, type Shape } from './shape.ts'

/** Match of a pattern: a secret, or a mark. */
export interface SecretMatch {
  readonly start: number
  readonly end: number
  /** Index where its pattern begins, such as the word before a password. */
  readonly begin: number
  /** Kind and value for the mark that replaces it; null for a mark, which stays. */
  readonly secret: { readonly kind: string; readonly value: string } | null
}

/** Pattern of a secret, found by its prefix. */
export interface Pattern {
  /** Literal beginning; lower-cased where case does not matter. */
  readonly prefix: string
  readonly anyCase: boolean
  /** Tells whether the text before `start` lets a match begin there. */
  mayBegin(text: string, start: number): boolean
  match(text: string, start: number, whole: boolean): SecretMatch | 'no' | 'more'
}

const always = () => true

/** Returns all patterns by precedence: marks first, so that their inside is never matched; known values; shapes. */
export function patternsFor(values: readonly SecretValue[]): readonly Pattern[] {
  return [markPattern(), keyBlock, ...values.flatMap(valuePatterns), ...keyShapes.map(shapePattern)]
}

/** Source of the shape of a mark, without its opening `[`. */
export const markShape = String.raw`secret:[A-Za-z0-9_-]{1,32}:[0-9a-f]{8}\]`

function markPattern(): Pattern {
  const shape = readShape(markShape)
  return {
    prefix: 'secret:',
    anyCase: false,
    mayBegin: (text, start) => text.charAt(start - 1) === '[',
    match(text, start, whole) {
      const match = matchShape(shape, text, start, whole)
      return typeof match === 'string' ? match : { ...match, begin: start, secret: null }
    },
  }
}

const keyBlock: Pattern = {
  prefix: blockPrefix,
  anyCase: false,
  mayBegin: always,
  match(text, start, whole) {
    const match = matchKeyBlock(text, start, whole)
    if (typeof match === 'string') return match
    return { ...match, begin: start, secret: { kind: 'private-key', value: text.slice(match.start, match.end) } }
  },
}

function valuePatterns({ kind, value }: SecretValue): Pattern[] {
  const secret = { kind, value }
  return formsOf(value).flatMap(({ text: form, isBase64 }) =>
    isBase64 ? base64Patterns(form, secret) : [formPattern(form, secret)],
  )
}

function formPattern(form: string, secret: SecretValue): Pattern {
  return {
    prefix: form,
    anyCase: false,
    mayBegin: always,
    match(text, start, whole) {
      if (text.startsWith(form, start)) return { begin: start, start, end: start + form.length, secret }
      return !whole && form.startsWith(text.slice(start)) ? 'more' : 'no'
    },
  }
}

/** Length of the prefix that finds a form in base64. A line break within the prefix is not recognised. */
const base64Prefix = 12

/** Returns the patterns of a form in base64, maybe split into lines: for its beginning, and for the text after it. */
function base64Patterns(form: string, secret: SecretValue): Pattern[] {
  const rest = form.slice(base64Prefix)
  return [form, ...(rest.length < base64Prefix ? [] : [rest])].map((part) => ({
    prefix: part.slice(0, base64Prefix),
    anyCase: false,
    mayBegin: always,
    match(text, start, whole) {
      const end = endOverLines(part, text, start)
      if (end === 'more') return whole ? 'no' : 'more'
      return end === 'no' ? 'no' : { begin: start, start, end, secret }
    },
  }))
}

/** End of a line with the blanks before the next one, as it is or as JSON writes it. */
const lineEnd = /(?:\r?\n|(?:\\r)?\\n)[ \t]{0,64}/y

/** Returns the end of a form in a text with possible line breaks; `more` if the text ends first. */
function endOverLines(form: string, text: string, start: number): number | 'no' | 'more' {
  let at = start
  for (let index = 0; index < form.length; index++) {
    if (index > 0 && text.charAt(at) !== form.charAt(index)) {
      lineEnd.lastIndex = at
      if (lineEnd.test(text)) at = lineEnd.lastIndex
    }
    if (at >= text.length || isBegunLineEnd(text, at)) return 'more'
    if (text.charAt(at) !== form.charAt(index)) return 'no'
    at += 1
  }
  return at
}

/** Tells whether a text ends with the beginning of a line break. */
function isBegunLineEnd(text: string, at: number): boolean {
  return text.length - at < 4 && ['\r', '\\', String.raw`\r`, '\\r\\'].includes(text.slice(at))
}

function shapePattern({ kind, shape: source, doubt, anyCase, anywhere }: (typeof keyShapes)[number]): Pattern {
  // Compiled on first use: most shapes never match a prefix.
  let shape: Shape | null = null
  return {
    prefix: prefixOf(source, anyCase),
    anyCase: anyCase === true,
    mayBegin: anywhere === true ? always : beginsWord,
    match(text, start, whole) {
      shape ??= readShape(source, anyCase)
      const match = matchShape(shape, text, start, whole)
      if (typeof match === 'string') return match
      if (doubt === 'variable' && !isSecretName(variableAt(text, start))) return 'no'
      if (!looksSecret(text.slice(match.start, match.end), doubt)) return 'no'
      const end = fullEnd(shape, text, match.end, whole)
      if (end === 'more') return 'more'
      return { begin: start, start: match.start, end, secret: { kind, value: text.slice(match.start, end) } }
    },
  }
}

/** Returns the name of the variable that is set at `start`, including letters before `start`. */
function variableAt(text: string, start: number): string {
  const before = /\w*$/.exec(text.slice(Math.max(0, start - contextLength), start))?.[0] ?? ''
  return before + text.slice(start, text.indexOf('=', start))
}

/** Number of preceding characters that decide whether a match may begin at a place. */
export const contextLength = 24

/** Escapes of JSON, C, URLs and terminals that end in a letter or digit which is not part of a word. */
const escapeAtEnd =
  /(?:\\[nrtbfv0]|%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,10}[a-z])$/i

const mayEscape = /[\\%\x1b]/

function beginsWord(text: string, start: number): boolean {
  if (start === 0 || !isWordCode(text.charCodeAt(start - 1))) return true
  const before = text.slice(Math.max(0, start - contextLength), start)
  return mayEscape.test(before) && escapeAtEnd.test(before)
}

/** Placeholders that documentation and tests write in place of a secret. */
const placeholders =
  /example|placeholder|your[_-]?|changeme|change-me|dummy|redacted|xxxx|\*\*\*|\.\.\.|test[_-]?(key|token)|<|\$\{|secret:/i
const plainPasswords =
  /^(pass(word|wd|phrase)?|pwd|secret|token|user(name)?|key|x-oauth-basic|test(ing)?|foo|bar|baz|abc|hunter2|admin|root|guest|[a-z]|[0-9]{1,5}|%[a-z]|[A-Z_]+)$/i

/** Dotted names, from which code reads a secret. */
const dottedNames = /^[A-Za-z_]\w{0,30}(\.[A-Za-z_]\w{0,30})+$/

const leastDistinct = 5

/** Tells whether a value with the shape of a key is one. Placeholders are not; with doubt, ordinary words are not. */
function looksSecret(value: string, doubt: Doubt): boolean {
  if (!hasDistinct(value, Math.min(leastDistinct, value.length - 1)) || value.includes('EXAMPLE')) return false
  if (doubt === 'none') return true
  if (placeholders.test(value)) return false
  if (doubt === 'password') return !plainPasswords.test(value) && !/^[${%*]/.test(value)
  if (dottedNames.test(value) || (doubt === 'variable' && !isDistinctive(value))) return false
  return /[0-9]/.test(value) && /[A-Za-z]/.test(value)
}

/** Tells whether a value has so many different characters. A set would be too slow for text with many beginnings. */
function hasDistinct(value: string, count: number): boolean {
  let seen = ''
  for (let at = 0; at < value.length && seen.length < count; at++) {
    const sign = value.charAt(at)
    if (!seen.includes(sign)) seen += sign
  }
  return seen.length >= count
}
