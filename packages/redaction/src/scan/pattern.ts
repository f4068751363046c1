import { keyShapes } from './key-shapes-table.ts'
import { looksSecret } from './looks-secret.ts'
import { blockPrefix, matchKeyBlock } from './private-key-block.ts'
import { isSecretName } from './secret-names.ts'
import { fullEnd, isWordCode, matchShape, prefixOf, readShape, type Shape } from './shape.ts'
import { formsOf, type SecretValue } from './value-forms.ts'

/** A secret in a text. */
export interface Found {
  readonly start: number
  readonly end: number
  /** What takes its place: a mark with this kind, for this value; null leaves it, since it is a mark. */
  readonly secret: { readonly kind: string; readonly value: string } | null
}

/** Something to look for, found by what it begins with. */
export interface Pattern {
  /** Lower-cased where case does not matter. */
  readonly prefix: string
  readonly anyCase: boolean
  /** Whether one can begin here at all, by what comes before. */
  mayBegin(text: string, start: number): boolean
  match(text: string, start: number, whole: boolean): Found | 'no' | 'more'
}

const always = () => true

/** Marks first, so that none is looked into; then known values; then shapes. */
export function patternsFor(values: readonly SecretValue[]): readonly Pattern[] {
  return [markPattern(), keyBlock, ...values.flatMap(valuePatterns), ...keyShapes.map(shapePattern)]
}

/** What stands for a secret, behind its `[`. */
export const markShape = String.raw`secret:[A-Za-z0-9_-]{1,32}:[0-9a-f]{8}\]`

function markPattern(): Pattern {
  const shape = readShape(markShape)
  return {
    prefix: 'secret:',
    anyCase: false,
    mayBegin: (text, start) => text.charAt(start - 1) === '[',
    match(text, start, whole) {
      const match = matchShape(shape, text, start, whole)
      return typeof match === 'string' ? match : { ...match, secret: null }
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
    return { ...match, secret: { kind: 'private-key', value: text.slice(match.start, match.end) } }
  },
}

function valuePatterns({ kind, value }: SecretValue): Pattern[] {
  return formsOf(value).map((form) => ({
    prefix: form,
    anyCase: false,
    mayBegin: always,
    match(text, start, whole) {
      if (text.startsWith(form, start)) return { start, end: start + form.length, secret: { kind, value } }
      return !whole && form.startsWith(text.slice(start)) ? 'more' : 'no'
    },
  }))
}

function shapePattern({ kind, shape: source, doubt, anyCase, anywhere }: (typeof keyShapes)[number]): Pattern {
  // Most are never needed.
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
      return { start: match.start, end, secret: { kind, value: text.slice(match.start, end) } }
    },
  }
}

/** The name of the variable that is set here, which may begin before. */
function variableAt(text: string, start: number): string {
  const before = /\w*$/.exec(text.slice(Math.max(0, start - contextLength), start))?.[0] ?? ''
  return before + text.slice(start, text.indexOf('=', start))
}

/** As far back as is looked from where something may begin. */
export const contextLength = 24

/** Escapes that end in a letter or digit which belongs to no word: of JSON and C, of URLs, of terminals. */
const escapeAtEnd =
  /(?:\\[nrtbfv0]|%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,10}[a-z])$/i

const mayEscape = /[\\%\x1b]/

function beginsWord(text: string, start: number): boolean {
  if (start === 0 || !isWordCode(text.charCodeAt(start - 1))) return true
  const before = text.slice(Math.max(0, start - contextLength), start)
  return mayEscape.test(before) && escapeAtEnd.test(before)
}
