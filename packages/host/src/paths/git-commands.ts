import type { GitSetting } from './git-config-text.ts'

/** Settings whose value git hands to a shell or starts as a program, by their names as git compares them. */
const commandSettings = [
  /^core\.(?:sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)$/,
  /^(?:sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook|gc\.recentobjectshook|imap\.tunnel)$/,
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

/** Variables by which git gets the same commands. */
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
  const marked = markedSettings.find(([pattern, mark]) => value.startsWith(mark) && pattern.test(name))
  if (marked === undefined) return null
  return marked[1] === '/' ? value : value.slice(marked[1].length)
}

export function commandsInEnv(env: Readonly<Record<string, string | undefined>>): string[] {
  return commandVariables.flatMap((name) => env[name] ?? [])
}

/** Programs that start the next word as a program. */
const starters = /^(?:env|exec|eval|command|nohup|nice|setsid|sudo|doas|time|timeout|xargs)$/
/** Programs that run the script which the next word names, found from the folder they are started in. */
const interpreters = /^(?:(?:[abdkz]|fi)?sh|source|\.|(?:python|node|perl|ruby|php|lua|deno|bun|tsx|ts-node)[\d.]*)$/
/** Options after which a word is code or a module, and no file. */
const code = /^-(?:[a-z]*c|m|e|p)$/
/** Words before a program: options and keywords, assignments, a time for `timeout`. */
const before = /^(?:-.*|if|then|elif|else|while|until|do|!|test|\[+|run|[A-Za-z_]\w*=.*|\d+[smhd]?)$/s
/** Words, quoted or not, and what ends a command. */
const token = /"((?:[^"\\]|\\[\s\S])*)"?|'([^']*)'?|([;&|(){}`\n]+)|([^\s'";&|(){}`]+)/g
const maxLength = 4096

/**
 * Lists the paths of the programs and scripts that a command of git starts. They may be relative, to the top of the work
 * tree. Arguments do not count: they are what a program works on.
 */
export function programsIn(command: string, home: string): string[] {
  const text = command
    .slice(0, maxLength)
    .replace(/"?\$\(\s*git rev-parse --show-toplevel\s*\)"?|\$\{?PWD\}?/g, '.')
    .replace(/\$\{?HOME\}?/g, home)
  const commands: string[][] = [[]]
  for (const [, double, single, end, plain = ''] of text.matchAll(token)) {
    if (end === undefined) commands.at(-1)?.push(double ?? single ?? plain)
    else commands.push([])
  }
  return commands.flatMap((words) => startedBy(words, home))
}

/** Lists what the words of one command start. One with blanks is a quoted script, or a path. */
function startedBy(words: readonly string[], home: string): string[] {
  const found: string[] = []
  let isScript = false
  for (const word of words) {
    if (code.test(word)) isScript = false
    if (word === '' || before.test(word)) continue
    const isPath = word.includes('/')
    if (/\s/.test(word)) return [...found, ...programsIn(word, home), ...(isPath ? [word] : [])]
    const name = word.slice(word.lastIndexOf('/') + 1)
    const isHandingOn = starters.test(name) || interpreters.test(name)
    if (isPath || (isScript && !isHandingOn)) found.push(word)
    if (!isHandingOn) return found
    isScript = interpreters.test(name)
  }
  return found
}
