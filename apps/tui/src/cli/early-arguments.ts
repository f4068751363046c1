import type { EnvVariables } from './folders.ts'

/**
 * Returns the words of a command line with the command that its flags name in front, as in Claude Code: `--print` is
 * `exec`, `--continue` and a `-c` without a value are `resume --last`, `--resume [ID]` is `resume [ID]`. Other command
 * lines are returned as they are.
 */
export function withCommandFromFlags(argv: readonly string[]): readonly string[] {
  const words = beforeDashes(argv)
  const rest = argv.slice(words.length)
  const found = extractCommand(words)
  if (found.others.length === words.length) return argv
  const [first = ''] = words
  const at = words.indexOf('exec')
  const isExec = found.isPrint || at >= 0
  // The other commands of exec continue no conversation, or have named it already.
  if (at >= 0 && /^(?:resume|fork|review)$/.test(words[at + 1] ?? '')) return argv
  // Another command has no such flags, and reports them.
  if (!isExec && !first.startsWith('-') && !/\s/.test(first)) return argv
  const others = isExec
    ? found.others.filter((word, at) => word !== 'exec' || found.others.indexOf('exec') !== at)
    : found.others
  return [...(isExec ? ['exec'] : []), ...found.command, ...others, ...rest]
}

interface ExtractedCommand {
  readonly isPrint: boolean
  /** Command that continues a conversation; empty without a flag for it. */
  readonly command: readonly string[]
  readonly others: readonly string[]
}

function extractCommand(words: readonly string[]): ExtractedCommand {
  const others: string[] = []
  const command: string[] = []
  const resume = (which?: string) => {
    if (command.length === 0) command.push('resume')
    if (which !== undefined) command.push(which)
  }
  let isPrint = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const next = words[at + 1]
    const within = /^--resume=(.*)$/s.exec(word)?.[1]
    if (word === '--print') isPrint = true
    else if (word === '--continue' || (word === '-c' && isNoValue(next))) resume('--last')
    else if (within !== undefined) resume(within)
    else if (word !== '--resume') others.push(word)
    else if (next === undefined || isNoValue(next)) resume()
    else {
      resume(next)
      at += 1
    }
  }
  return { isPrint, command, others }
}

/** Returns true for an option without a value: it is the last word, or another option follows. */
function isNoValue(next: string | undefined): boolean {
  return next === undefined || /^-./s.test(next)
}

/** Returns the ceiling of the command line as flags of the server, read without parsing: the server starts first. */
export function ceilingFlags(argv: readonly string[]): readonly string[] {
  const words = beforeDashes(argv)
  const config = valuesOf(words, '-c', '--config').map(configValue)
  const named = (key: string) => config.flatMap((one) => (one?.key === key ? [one.value] : []))
  const sandboxes = [...valuesOf(words, '-s', '--sandbox'), ...named('sandbox_mode')]
  const policies = [...valuesOf(words, '-a', '--ask-for-approval'), ...named('approval_policy')]
  const profile = [...named('profile'), ...valuesOf(words, '-p', '--profile')].at(-1)
  const isUnlimited = words.some((word) => unlimited.has(word))
  // The server rejects a profile together with --safe, once it has a connection.
  const isSafe = words.includes(safeFlag)
  return [
    ...(isUnlimited || sandboxes.includes('danger-full-access') ? ['--max-sandbox', 'danger-full-access'] : []),
    ...(isUnlimited || policies.includes('never') ? ['--allow-never'] : []),
    ...(profile === undefined || isSafe ? [] : [`--profile=${profile}`]),
    ...(isSafe ? [safeFlag] : []),
    ...valuesOf(words, secretFolder, secretFolder).map((folder) => `${secretFolder}=${folder}`),
  ]
}

/** Flags of Codex that stand for full access and `never`. */
const unlimited: ReadonlySet<string> = new Set(['--dangerously-bypass-approvals-and-sandbox', '--yolo'])
const secretFolder = '--allow-secret-folder'
const safeFlag = '--safe'

/** Returns the words before `--`, which contain all options. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

/** Returns the values of a flag: `-s VALUE`, `-sVALUE`, `--sandbox VALUE`, `--sandbox=VALUE`; without `long` the first two. */
export function valuesOf(words: readonly string[], short: string, long?: string): string[] {
  return words.flatMap((word, at) => {
    if (word === short || word === long) return words.slice(at + 1, at + 2)
    if (long !== undefined && word.startsWith(`${long}=`)) return [word.slice(long.length + 1)]
    return word.startsWith(short) && !word.startsWith('--') ? [word.slice(short.length)] : []
  })
}

/** Splits `key=value`; the value is a TOML string or plain text. */
function configValue(text: string): { key: string; value: string } | null {
  const [, key, double, single, plain] = /^\s*([\w.]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*$/s.exec(text) ?? []
  return key === undefined ? null : { key, value: double ?? single ?? plain ?? '' }
}

/** Returns true if the caller expects the lines of the Codex SDK. Reads the words without parsing, which may fail. */
export function wantsCodexLines(argv: readonly string[]): boolean {
  return wantsFormat(argv, { format: 'codex', short: '--experimental-json' })
}

/** Returns true if the caller expects JSON that ends with `run.ended`. Reads the words without parsing, which may fail. */
export function wantsEndLine(argv: readonly string[]): boolean {
  return wantsFormat(argv, { format: 'json', short: '--json' }) || wantsFormat(argv, { format: 'result' })
}

function wantsFormat(argv: readonly string[], { format, short }: { format: string; short?: string }): boolean {
  const words = beforeDashes(argv)
  if (!words.includes('exec')) return false
  const named = words.some((word, at) => word === '--output-format' && words[at + 1] === format)
  return named || (short !== undefined && words.includes(short)) || words.includes(`--output-format=${format}`)
}

/** Returns the variables with the key of `CODEX_API_KEY` as OpenAI's key: the Codex SDK passes its key that way. */
export function withCallersKey(argv: readonly string[], env: EnvVariables): EnvVariables {
  const key = env['CODEX_API_KEY']
  return key === undefined || key === '' || !wantsCodexLines(argv) ? env : { ...env, OPENAI_API_KEY: key }
}

/** Programs that are built beside this one and parse their own arguments: `parley NAME …`. */
export const serverPrograms = ['server', 'mcp-server', 'acp', 'app-server', 'exec-server', 'store'] as const

/** Returns the server program that a command line names; null if it asks for help. */
export function serverProgramOf(argv: readonly string[]): (typeof serverPrograms)[number] | null {
  if (argv.some((word) => word === '--help' || word === '-h')) return null
  return serverPrograms.find((name) => name === argv[0]) ?? null
}

/**
 * Flags of Node for a server, which also runs without them. SIGUSR1 would open a debugger to all users of the machine.
 * The young generation would grow to 48 MB, for 2 % of a flood's CPU. Most other flags cost 10 ms at start, because of
 * Node's snapshot.
 */
export const serverNodeFlags = ['--disable-sigusr1', '--max-semi-space-size=1'] as const

const windowCommands: ReadonlySet<string> = new Set(['resume', 'attach', 'fork', 'demo'])
/** Flags with a value of commands that open a window; the value may stand in the same word. */
const valued =
  /^(?:-[mesaCpci](.*)|--(?:model|effort|mode|sandbox|ask-for-approval|cd|environment|add-dir|profile|config|image|at|allow-secret-folder|server|token-file|ca-file|local-provider)(=.*)?)$/s
const plain =
  /^--(?:ephemeral|last|read-only|safe|allow-unencrypted|dangerously-bypass-approvals-and-sandbox|yolo|full-auto|oss)$/

interface Streams {
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: { readonly isTTY?: boolean }
}

/**
 * Returns true if a command line opens a window, before it is parsed. False in doubt: a prompt of one word may be a
 * command. Reads the streams last, because that opens stdin.
 */
export function opensWindow(argv: readonly string[], streams: Streams): boolean {
  return isOfWindow(argv) && streams.stdin.isTTY === true && streams.stdout.isTTY === true
}

/** Returns the most arguments that a command takes: a server's address may stand before the conversation, a message after it. */
function mostArguments(command: string, first = ''): number {
  return command === 'resume' || (command === 'attach' && /^wss?:/i.test(first)) ? 2 : 1
}

function isOfWindow(argv: readonly string[]): boolean {
  const words: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    const [flag, ...within] = valued.exec(word) ?? []
    if (flag !== undefined) at += within.some((value) => value !== undefined && value !== '') ? 0 : 1
    else if (!word.startsWith('-')) words.push(word)
    else if (!plain.test(word)) return false
  }
  const [first, ...others] = words
  if (first === undefined) return true
  // `fork` without a point lists the points.
  if (first === 'fork' && !argv.some((word) => /^--at(?:=|$)/.test(word))) return false
  return windowCommands.has(first)
    ? others.length <= mostArguments(first, others[0])
    : /\s/.test(first) && others.length === 0
}
