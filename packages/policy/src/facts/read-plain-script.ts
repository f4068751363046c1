import { reservedWords, stateBuiltins } from '../decision/shell-words.ts'

export interface PlainWord {
  readonly text: string
  /** As written; offsets are UTF-16 units into the script. */
  readonly raw: string
  readonly start: number
  readonly end: number
}

export type PlainScript =
  | { readonly ok: true; readonly commands: readonly (readonly PlainWord[])[] }
  | { readonly ok: false; readonly because: string }

const blank = /[ \t]+/y
const joint = /&&|\|\||;|\||\n/y
// The two redirections that change nothing; the text after them must end the word.
const quietRedirect = /(?:[12]?>[ \t]*\/dev\/null|2>&1)(?=[ \t\n;|&]|$)/y
const bare = /[A-Za-z0-9_@%+:,./=^~-]+/y
// Punctuation after a backslash is itself in every shell we start; before a letter or a newline they differ.
const escaped = /\\[!-/:-@[-`{-~]/y
const singleQuoted = /'[^']*'/y
const doubleQuoted = /"(?:[^"\\$`]|\\[^\n])*"/y
// Non-ASCII text is accepted inside quotes only: outside, some locales split words at it.
const strangeText = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/

/**
 * Reads the small grammar in which bash, sh and zsh agree: literal words in commands joined by `&&`, `||`, `;`, `|`
 * and newlines. Whatever else appears makes the whole script not understood.
 */
export function readPlainScript(script: string): PlainScript {
  if (strangeText.test(script)) return notUnderstood('it contains control characters')
  const tokens = tokensOf(script)
  if (typeof tokens === 'string') return notUnderstood(tokens)
  const commands = commandsOf(tokens)
  return commands === null ? notUnderstood('a command is missing') : judged(commands)
}

/** Words and the operators between them; a text says why there are none. */
function tokensOf(script: string): (PlainWord | string)[] | string {
  const tokens: (PlainWord | string)[] = []
  let at = 0
  while (at < script.length) {
    const skipped = matchAt(blank, script, at) ?? matchAt(quietRedirect, script, at)
    const operator = skipped === null ? matchAt(joint, script, at) : null
    if (operator !== null) tokens.push(operator)
    if (skipped !== null || operator !== null) {
      at += (skipped ?? operator ?? '').length
      continue
    }
    const word = readWord(script, at)
    if (typeof word === 'string') return word
    tokens.push(word)
    at = word.end
  }
  return tokens
}

/** Null when an operator lacks a command; newlines may follow each other, and one may end the script, as may `;`. */
function commandsOf(tokens: readonly (PlainWord | string)[]): PlainWord[][] | null {
  const commands: PlainWord[][] = []
  let words: PlainWord[] = []
  let wanted = false
  for (const token of tokens) {
    if (typeof token !== 'string') words.push(token)
    else if (words.length === 0 && token !== '\n') return null
    else if (words.length > 0) {
      commands.push(words)
      words = []
      wanted = token !== ';' && token !== '\n'
    }
  }
  if (words.length > 0) commands.push(words)
  else if (wanted) return null
  return commands
}

function readWord(script: string, start: number): PlainWord | string {
  let text = ''
  let at = start
  for (;;) {
    const piece = readPiece(script, at)
    if (piece === null) break
    text += piece.text
    at += piece.length
  }
  const next = script[at]
  const raw = script.slice(start, at)
  if (at === start || (next !== undefined && !' \t\n;|&'.includes(next))) {
    return whyNotPlain(next ?? '')
  }
  if (/^[=^]|(?:^|[:=])~/.test(raw)) return `the shell may expand ${raw}`
  return { text, raw, start, end: at }
}

function whyNotPlain(mark: string): string {
  if (mark === '"' || mark === "'") return 'a quoted word is not closed or not literal'
  if (mark === '>') return 'it sends output elsewhere with ">"'
  if (mark === '<') return 'it takes input from elsewhere with "<"'
  return `it uses ${JSON.stringify(mark)} for more than a plain word`
}

function readPiece(script: string, at: number): { text: string; length: number } | null {
  const plain = matchAt(bare, script, at)
  if (plain !== null) return { text: plain, length: plain.length }
  const single = matchAt(singleQuoted, script, at)
  if (single !== null) return { text: single.slice(1, -1), length: single.length }
  const double = matchAt(doubleQuoted, script, at)
  if (double !== null) return { text: unescapeDouble(double.slice(1, -1)), length: double.length }
  const punctuation = matchAt(escaped, script, at)
  return punctuation === null ? null : { text: punctuation.slice(1), length: 2 }
}

/** Inside double quotes a backslash is a backslash unless one of these follows. */
export function unescapeDouble(text: string): string {
  return text.replace(/\\([$`"\\])/g, '$1')
}

function judged(commands: readonly PlainWord[][]): PlainScript {
  if (commands.length === 0) return notUnderstood('it is empty')
  for (const [first] of commands) {
    if (first === undefined) continue
    if (reservedWords.has(first.raw)) return notUnderstood(`${first.raw} is a word of the shell's own grammar`)
    if (stateBuiltins.has(first.text)) return notUnderstood(`${first.text} changes what the shell does next`)
    if (/^[A-Za-z_]\w*\+?=/.test(first.raw)) return notUnderstood('it sets a variable')
  }
  return { ok: true, commands }
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

function notUnderstood(because: string): PlainScript {
  return { ok: false, because }
}
