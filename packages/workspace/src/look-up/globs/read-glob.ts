/** Part of a name: any characters, or one that passes the test. */
type Token = '*' | ((character: string) => boolean)
/** Name in a path; `**` stands for any number of names. */
type GlobSegment = '**' | readonly Token[]

/** A glob that was read, without a leading `!`. */
export interface Glob {
  /** Forms that its braces stand for. */
  readonly forms: readonly GlobForm[]
}

interface GlobForm {
  readonly segments: readonly GlobSegment[]
  /** True for one that is meant from the top on; others fit at any depth. */
  readonly isAnchored: boolean
  /** Names without wildcards that come first. */
  readonly folders: readonly string[]
  /** Glob of the last name, where that has a wildcard; null where any name fits, or a whole folder. */
  readonly lastName: string | null
}

/** Most forms that the braces of one glob may stand for. */
const maxForms = 64

/**
 * Reads a glob: `*`, `?` and `[…]` stay within a name, `**` crosses names, `{a,b}` are alternatives. One without a slash fits at
 * any depth, and a name without wildcards also stands for all in a folder of that name.
 */
export function readGlob(glob: string): Glob | { readonly problem: string } {
  const texts = alternatives(glob)
  if (texts === null) return { problem: `The glob ${glob} is not valid: unclosed alternate group; missing '}'.` }
  if (texts.length > maxForms) return { problem: `The glob ${glob} is not valid: it has too many alternatives.` }
  const forms = texts.map(formOf)
  const isWhole = forms.every((form) => form !== null)
  if (!isWhole) return { problem: `The glob ${glob} is not valid: unclosed character class; missing ']'.` }
  return { forms }
}

/** Tests if a glob fits a path, which is relative to where the glob counts from. */
export function fitsGlob({ forms }: Glob, path: string): boolean {
  const names = path.split('/')
  return forms.some(({ segments, isAnchored }) => fitsSegments(isAnchored ? segments : ['**', ...segments], names))
}

/** Returns the alternatives in the braces of a glob; null for an unclosed brace. */
function alternatives(glob: string): readonly string[] | null {
  const [open, close] = outerBraces(glob)
  if (open < 0) return [glob]
  if (close < 0) return null
  const [before, after] = [glob.slice(0, open), alternatives(glob.slice(close + 1))]
  if (after === null) return null
  const found: string[] = []
  for (const one of splitOutside(glob.slice(open + 1, close))) {
    const inner = alternatives(one)
    if (inner === null) return null
    for (const text of inner) for (const end of after) if (found.length <= maxForms) found.push(before + text + end)
  }
  return found
}

/** Returns where the first brace opens and closes; -1 for a missing brace. */
function outerBraces(glob: string): readonly [open: number, close: number] {
  let [open, depth] = [-1, 0]
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at]
    if (character === '\\') at += 1
    else if (character === '{') {
      if (depth === 0 && open < 0) open = at
      depth += 1
    } else if (character === '}' && depth > 0) {
      depth -= 1
      if (depth === 0) return [open, at]
    }
  }
  return [open, -1]
}

/** Splits at commas that are in no further braces. */
function splitOutside(text: string): readonly string[] {
  const parts: string[] = ['']
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    if (character === ',' && depth === 0) parts.push('')
    else parts.push(`${parts.pop() ?? ''}${character === '\\' ? character + (text[++at] ?? '') : character}`)
  }
  return parts
}

function formOf(text: string): GlobForm | null {
  const isAnchored = text.replace(/\/$/, '').includes('/')
  const names = text.split('/').filter((name) => name !== '' && name !== '.')
  const segments = names.map((name) => (name === '**' ? name : tokensOf(name)))
  if (!allRead(segments)) return null
  const [last = ''] = names.slice(-1)
  const plain = names.findIndex((name) => /[*?[\\]/.test(name))
  const folders = isAnchored ? names.slice(0, plain < 0 ? -1 : plain) : []
  if (names.length === 0) return { segments: ['**'], isAnchored, folders, lastName: null }
  if (text.endsWith('/')) return { segments: [...segments, '**', ['*']], isAnchored, folders, lastName: null }
  // A plain name may name a folder; then its files are meant.
  if (!/[*?[\\]/.test(last)) return { segments: [...segments, '**'], isAnchored, folders, lastName: null }
  return { segments, isAnchored, folders, lastName: /^\*$|\*\*|[{}\\]/.test(last) ? null : last }
}

function allRead(segments: readonly (GlobSegment | null)[]): segments is readonly GlobSegment[] {
  return segments.every((segment) => segment !== null)
}

/** Returns the tokens of a name; null where a class is not closed. */
function tokensOf(name: string): readonly Token[] | null {
  const tokens: Token[] = []
  for (const [text] of name.matchAll(/\*+|\[[!^]?\]?[^\]]*\]|\\?./gsu)) {
    if (text === '[') return null
    tokens.push(tokenOf(text))
  }
  return tokens
}

function tokenOf(text: string): Token {
  if (text.startsWith('*')) return '*'
  if (text === '?') return () => true
  if (text.startsWith('[')) return classOf(text.slice(1, -1))
  const plain = text.replace(/^\\(?=.)/su, '')
  return (character) => character === plain
}

function classOf(text: string): (character: string) => boolean {
  const isNegated = /^[!^]/.test(text)
  const ranges = [...text.slice(isNegated ? 1 : 0).matchAll(/(.)-(.)|(.)/gsu)]
  return (character) =>
    isNegated !==
    ranges.some(([, from, to, one]) => {
      return one === undefined ? (from ?? '') <= character && character <= (to ?? '') : one === character
    })
}

function fitsSegments(segments: readonly GlobSegment[], names: readonly string[]): boolean {
  return fitsSequence(segments, names, {
    isAny: (segment) => segment === '**',
    fits: (segment, name) => segment !== '**' && fitsName(segment, name),
  })
}

function fitsName(tokens: readonly Token[], name: string): boolean {
  return fitsSequence(tokens, [...name], {
    isAny: (token) => token === '*',
    fits: (token, character) => token !== '*' && token(character),
  })
}

/** Returns to the last wildcard only, so that the time grows with the product of both lengths. */
function fitsSequence<Wanted>(
  wanted: readonly Wanted[],
  values: readonly string[],
  fit: { isAny(wanted: Wanted): boolean; fits(wanted: Wanted, value: string): boolean },
): boolean {
  let [at, next, wildcard, resume] = [0, 0, -1, 0]
  while (next < values.length) {
    const [one, value] = [wanted[at], values[next] ?? '']
    if (one !== undefined && !fit.isAny(one) && fit.fits(one, value)) {
      at += 1
      next += 1
    } else if (one !== undefined && fit.isAny(one)) {
      wildcard = at
      resume = next
      at += 1
    } else if (wildcard >= 0) {
      at = wildcard + 1
      resume += 1
      next = resume
    } else return false
  }
  return wanted.slice(at).every(fit.isAny)
}
