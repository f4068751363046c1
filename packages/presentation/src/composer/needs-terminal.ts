/** Programs that take over the screen or read keys. */
const fullScreen: ReadonlySet<string> = new Set([
  ...[
    'vi',
    'vim',
    'nvim',
    'view',
    'vimdiff',
    'nano',
    'pico',
    'micro',
    'emacs',
    'hx',
    'helix',
    'kak',
    'ed',
    'joe',
    'ne',
  ],
  ...['less', 'more', 'most', 'man', 'info', 'top', 'htop', 'btop', 'atop', 'watch', 'tig', 'lazygit', 'lazydocker'],
  ...['gitui', 'fzf', 'mc', 'ranger', 'nnn', 'yazi', 'lf', 'vifm', 'ncdu', 'tmux', 'screen', 'zellij', 'ssh', 'mosh'],
  ...[
    'ftp',
    'sftp',
    'telnet',
    'mutt',
    'k9s',
    'dialog',
    'whiptail',
    'passwd',
    'su',
    'visudo',
    'sudoedit',
    'crontab',
    'gdb',
    'lldb',
  ],
])

/** Programs that read keys if their arguments give them nothing else to do. */
const promptsAlone: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'zsh', 'fish', 'dash', 'ksh', 'python', 'python3', 'ipython', 'node', 'deno', 'bun', 'ruby', 'irb'],
  ...['lua', 'ghci', 'psql', 'mysql', 'mariadb', 'sqlite3', 'redis-cli', 'mongosh', 'bc', 'julia', 'R', 'php'],
])

/** Words of git after which it opens an editor or asks by keys. */
const gitWords: readonly RegExp[] = [
  /^commit(?!.*(?: -[a-zA-Z]*[mFC]| --message| --file| --no-edit| --reuse-message| --dry-run))/,
  /^rebase .*(?:-i\b|--interactive)/,
  /^(?:add|checkout|restore|reset|stash(?: push)?) .*(?:-p\b|--patch|-i\b|--interactive)/,
  /^(?:mergetool|difftool)\b/,
]

/** Returns true for a command that takes over the terminal, unless its output goes into a pipe or a file. */
export function needsTerminal(command: string): boolean {
  if (/[|>&;]/.test(command)) return false
  const [path = '', ...rest] = withoutWrappers(command.trim().split(/\s+/))
  const program = path.slice(path.lastIndexOf('/') + 1)
  if (program === 'git') return gitWords.some((words) => words.test(rest.join(' ')))
  return fullScreen.has(program) ? !isQuestion(rest) : promptsAlone.has(program) && rest.length === 0
}

/** Programs that run another program: the options that take a word, and the options that replace the program. */
const wrappers: Readonly<
  Record<string, { readonly taking: RegExp; readonly programs?: Readonly<Record<string, string>> }>
> = {
  sudo: {
    taking:
      /^(?:-[a-zA-Z]*[CDghpRrTtUu]|--(?:user|group|host|prompt|chdir|chroot|role|type|close-from|other-user|command-timeout))$/,
    programs: { '-e': 'sudoedit', '--edit': 'sudoedit', '-i': 'sh', '--login': 'sh', '-s': 'sh', '--shell': 'sh' },
  },
  doas: { taking: /^-[a-zA-Z]*[Cu]$/, programs: { '-s': 'sh' } },
  env: { taking: /^(?:-[a-zA-Z0]*[CSu]|--(?:unset|chdir|split-string))$/ },
  exec: { taking: /^-[cl]*a$/ },
  nice: { taking: /^(?:-n|--adjustment)$/ },
  command: { taking: /^$/ },
  time: { taking: /^$/ },
}

/** Returns the words from the program on: without settings of variables, `sudo` and its like with their options. */
function withoutWrappers(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words
  if (/^\w+=/.test(first)) return withoutWrappers(rest)
  const wrapper = wrappers[first.slice(first.lastIndexOf('/') + 1)]
  if (wrapper === undefined) return words
  const { taking, programs = {} } = wrapper
  let meant: string | null = null
  let at = 0
  for (let word = rest[at]; word?.startsWith('-') === true && word !== '--'; word = rest[at]) {
    meant = programs[word] ?? meant
    at += taking.test(word) ? 2 : 1
  }
  const others = withoutWrappers(rest.slice(rest[at] === '--' ? at + 1 : at))
  if (meant === null) return others
  return meant === 'sh' && others.length > 0 ? others : [meant, ...others]
}

function isQuestion(words: readonly string[]): boolean {
  return words.includes('--version') || words.includes('--help')
}
