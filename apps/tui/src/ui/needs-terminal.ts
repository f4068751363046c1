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
  ...['ftp', 'sftp', 'telnet', 'mutt', 'k9s', 'dialog', 'whiptail', 'passwd', 'su', 'visudo', 'crontab', 'gdb', 'lldb'],
])

/** Programs that read keys when nothing says what they shall do. */
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

/** Returns true for a command whose program takes over the terminal; a pipe or a redirection of its output says it does not. */
export function needsTerminal(command: string): boolean {
  if (/[|>&;]/.test(command)) return false
  const words = command.trim().split(/\s+/)
  const [path = '', ...rest] = words.slice(words.findIndex((word) => !isBefore(word)))
  const program = path.slice(path.lastIndexOf('/') + 1)
  if (program === 'git') return gitWords.some((words) => words.test(rest.join(' ')))
  return fullScreen.has(program) ? !isQuestion(rest) : promptsAlone.has(program) && rest.length === 0
}

/** Returns true for words that stand before the program: settings of variables, `sudo` and its like. */
function isBefore(word: string): boolean {
  return /^\w+=/.test(word) || ['sudo', 'env', 'exec', 'command'].includes(word)
}

function isQuestion(words: readonly string[]): boolean {
  return words.includes('--version') || words.includes('--help')
}
