import type { GitSetting } from './git-config-text.ts'

/** Settings with a value that git hands to a shell or starts as a program, by their names as git compares them. */
const commandSettings = [
  /^core\.(?:sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)$/,
  /^(?:sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook|gc\.recentobjectshook|imap\.tunnel)$/,
  /^(?:instaweb\.httpd|web\.browser|svn\.authors-?prog|tar\..+\.command)$/s,
  /^sendemail\.(?:.*\.)?(?:smtpserver|sendmailcmd|tocmd|cccmd|headercmd)$/s,
  /^(?:diff\.external|diff\..+\.(?:command|textconv)|merge\..+\.driver|filter\..+\.(?:clean|smudge|process))$/s,
  /^(?:pager\..+|gpg\.(?:.+\.)?program|gpg\.ssh\.defaultkeycommand|trailer\..+\.(?:cmd|command)|hook\..+\.command)$/s,
  /^(?:difftool|mergetool|browser|man|guitool)\..+\.(?:cmd|path)$/s,
  /^(?:remote\..+\.(?:uploadpack|receivepack)|lfs\.(?:customtransfer|extension)\..+\.(?:path|clean|smudge))$/s,
] as const

/** Settings that name a command only by a value with this beginning; without it, a subcommand, an address or a mode. */
const markedSettings = [
  [/^alias\..+$/s, '!'],
  [/^submodule\..+\.update$/s, '!'],
  [/^credential\.(?:.+\.)?helper$/s, '!'],
  [/^credential\.(?:.+\.)?helper$/s, '/'],
  [/^remote\..+\.(?:push)?url$/s, 'ext::'],
] as const

/** Variables that give git the same commands. */
const commandVariables = [
  'GIT_ASKPASS',
  'GIT_EDITOR',
  'GIT_EXTERNAL_DIFF',
  'GIT_PAGER',
  'GIT_PROXY_COMMAND',
  'GIT_SEQUENCE_EDITOR',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'SSH_ASKPASS',
  'EDITOR',
  'PAGER',
  'VISUAL',
] as const

/** Returns the command that git runs by a setting; null for a setting of another kind. */
export function commandOfSetting({ name, value }: GitSetting): string | null {
  if (commandSettings.some((pattern) => pattern.test(name))) return value
  // An address that is replaced by a command.
  const [, rewritten] = /^url\.ext::(.+)\.(?:push)?insteadof$/s.exec(name) ?? []
  if (rewritten !== undefined) return rewritten
  const marked = markedSettings.find(([pattern, mark]) => value.startsWith(mark) && pattern.test(name))
  if (marked === undefined) return null
  return marked[1] === '/' ? value : value.slice(marked[1].length)
}

export function commandsInEnv(env: Readonly<Record<string, string | undefined>>): string[] {
  return commandVariables.flatMap((name) => env[name] ?? [])
}

/** Programs that start one of the next words as a program, or read it as a script where it is a path. */
const starters = new RegExp(
  `^(?:${[
    'env|exec|eval|command|builtin|coproc|trap|nohup|nice|ionice|chrt|taskset|setsid|setpriv|stdbuf|unbuffer|strace',
    'sudo|doas|su|runuser|unshare|fakeroot|time|timeout|xargs|parallel|watch|entr|busybox|toybox',
    'caffeinate|systemd-run|numactl|proxychains4?|ltrace|bundle|direnv|mise',
    'npx|bunx|npm|pnpm|yarn|uv|uvx|pipx|poetry|pdm|rye|hatch|go|java|dotnet|mono|wine|[gmn]?awk|g?sed|g?make',
  ].join('|')})$`,
)
const shells = /^(?:a|ba|c|da|fi|k|mk|ok|rba|tc|ya|z)?sh$/
/** Other programs that run the script which one of the next words names, found from the folder they are started in. */
const interpreters =
  /^(?:source|\.|(?:python|pypy|node|nodejs|perl|ruby|php|lua|luajit|deno|bun|tsx|ts-node|tclsh|expect|Rscript|pwsh|julia|guile|racket|groovy|osascript)[\d.]*)$/
/** Options after which a word is code or a module, and no file; of shells, and of all others. */
const codeOfShells = /^-[A-Za-z]*c$/
const code = /^-(?:[a-z]*c|m|e|p)$/
/** Words before a program: options and keywords, assignments, redirections of output, a time for `timeout`. */
const before = /^(?:-.*|if|then|elif|else|while|until|do|!|test|\[+|run|[A-Za-z_]\w*=.*|\d*>.*|\d+[smhd]?)$/s
/** Words, of pieces that are quoted or not, and what ends a command. */
const token = /((?:"(?:[^"\\]|\\[\s\S])*"?|'[^']*'?|\\[\s\S]|[^\s'";&|(){}`\\])+)|([;&|(){}`\n]+)/g
const piece = /"((?:[^"\\]|\\[\s\S])*)"?|'([^']*)'?|\\([\s\S])/g
const maxLength = 4096

/**
 * Lists the paths of the programs and scripts that a command of git starts. They may be relative to the top of the work
 * tree. Arguments do not count: a program only works on them.
 */
export function programsIn(command: string, home: string): string[] {
  return startedIn(command, home).flatMap(({ word, isFile }) => (isFile ? [word] : []))
}

export interface StartedWord {
  readonly word: string
  /** True for the path of a program or script; false for a name that the search path leads to. */
  readonly isFile: boolean
}

/** Lists the programs and scripts that a line for a shell starts, by paths and by names. */
export function startedIn(command: string, home: string): readonly StartedWord[] {
  return commandsIn(command, home).flatMap((words) => startedWords(words, home))
}

/** Cuts a line into its commands, as a shell does. */
function commandsIn(command: string, home: string): readonly string[][] {
  const text = command
    .slice(0, maxLength)
    .replace(/"(\$\(\s*(?:git rev-parse --show-toplevel|pwd)\s*\)|`pwd`)"/g, '$1')
    .replace(/\$\(\s*(?:git rev-parse --show-toplevel|pwd)\s*\)|`pwd`|\$\{?(?:PWD|PARLEY_PROJECT_DIR)\}?/g, '.')
    .replace(/\$\{?SHELL\}?/g, 'sh')
    .replace(/\$\{?HOME\}?/g, home)
  const commands: string[][] = [[]]
  for (const [, word, end] of text.matchAll(token)) {
    if (end === undefined) commands.at(-1)?.push(unquoted(word ?? ''))
    else commands.push([])
  }
  return commands
}

function unquoted(word: string): string {
  return word.replace(
    piece,
    (_, double?: string, single?: string, escaped?: string) => double ?? single ?? escaped ?? '',
  )
}

/**
 * Lists the programs that the words of one command start. A word with blanks or marks of a shell is a quoted script, or
 * a path.
 */
export function startedWords(words: readonly string[], home: string): readonly StartedWord[] {
  const found: StartedWord[] = []
  let reader: WordReader = { scripts: false, code, isAfterOption: false }
  for (const written of words) {
    const word = written.replace(/^<(?!<)/, '')
    reader = afterOption(reader, word)
    if (word === '' || before.test(word)) continue
    const isPath = word.includes('/')
    if (/[\s;&|(){}`]/.test(word))
      return [...found, ...startedIn(word, home), ...(isPath ? [{ word, isFile: true }] : [])]
    const handedOn = handingOn(word.slice(word.lastIndexOf('/') + 1))
    found.push({ word, isFile: isPath || (reader.scripts && handedOn === null) })
    // The word after an option may be its value, and the program or script comes later.
    if (handedOn === null && !reader.isAfterOption) return found
    reader = handedOn ?? { ...reader, isAfterOption: false }
  }
  return found
}

/** Rules for the next word of a command. */
interface WordReader {
  /** True where a word without a slash is a script, too. */
  readonly scripts: boolean
  /** Options after which a word is code. */
  readonly code: RegExp
  readonly isAfterOption: boolean
}

function afterOption(reader: WordReader, word: string): WordReader {
  if (reader.code.test(word)) return { ...reader, scripts: false, isAfterOption: false }
  return word.startsWith('-') ? { ...reader, isAfterOption: true } : reader
}

/** Tells whether a program, by its name, starts one of its words or reads one as a script. */
export function startsItsWords(name: string): boolean {
  return handingOn(name) !== null
}

/** Returns how the words after a program count that starts one of them; null for any other program. */
function handingOn(name: string): WordReader | null {
  if (shells.test(name)) return { scripts: true, code: codeOfShells, isAfterOption: false }
  if (interpreters.test(name)) return { scripts: true, code, isAfterOption: false }
  return starters.test(name) ? { scripts: false, code, isAfterOption: false } : null
}
