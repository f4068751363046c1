/** Word of a plain script; offsets are UTF-16 units. */
interface PlainWord {
  readonly text: string
  /** Text as written. */
  readonly raw: string
  readonly start: number
  readonly end: number
}

export type PlainScript =
  | { readonly ok: true; readonly commands: readonly (readonly PlainWord[])[] }
  | { readonly ok: false; readonly because: string }

const blank = /[ \t]+/y
const operatorPattern = /&&|\|\||;|\||\n/y
// Redirections without effect; the text after them must end the word.
const quietRedirect = /(?:[12]?>[ \t]*\/dev\/null|2>&1)(?=[ \t\n;|&]|$)/y
const bare = /[A-Za-z0-9_@%+:,./=^~-]+/y
// Every supported shell takes punctuation after a backslash literally; for letters and newlines they differ.
const escaped = /\\[!-/:-@[-`{-~]/y
const singleQuoted = /'[^']*'/y
const doubleQuoted = /"(?:[^"\\$`]|\\[^\n])*"/y
// Non-ASCII text is accepted inside quotes only: outside, some locales split words at it.
const strangeText = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/

/**
 * Reads the grammar that bash, sh and zsh share: commands of literal words, joined by `&&`, `||`, `;`, `|` and
 * newlines. A script with anything else is not understood.
 */
export function readPlainScript(script: string): PlainScript {
  if (strangeText.test(script)) return notUnderstood('it contains control characters')
  const tokens = tokensOf(script)
  if (typeof tokens === 'string') return notUnderstood(tokens)
  const commands = commandsOf(tokens)
  return commands === null ? notUnderstood('a command is missing') : judged(commands)
}

/** Returns words and operators, or the reason why the script is not plain. */
function tokensOf(script: string): (PlainWord | string)[] | string {
  const tokens: (PlainWord | string)[] = []
  let at = 0
  while (at < script.length) {
    const skipped = matchAt(blank, script, at) ?? matchAt(quietRedirect, script, at)
    const operator = skipped === null ? matchAt(operatorPattern, script, at) : null
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

/** Groups words into commands, or returns null when an operator lacks one. `;` and newlines may end the script. */
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

/** Resolves escapes inside double quotes, where a backslash is literal before all other characters. */
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

/** Words that open a construct of some shell when they stand unquoted at the start of a command. */
const reservedWords: ReadonlySet<string> = new Set(
  'if then else elif fi case esac for select while until do done in function time coproc { } ! [[ ]] repeat foreach end nocorrect noglob always integer float -'.split(
    ' ',
  ),
)

/** Builtins that change the meaning of later words of the script, or that take a script as arguments. */
const stateBuiltins: ReadonlySet<string> = new Set(
  'alias unalias eval source . builtin export declare typeset local readonly unset set shopt enable hash trap read mapfile readarray getopts let setopt unsetopt autoload zmodload bindkey emulate disable functions history fc pushd popd shift zle compdef'.split(
    ' ',
  ),
)
