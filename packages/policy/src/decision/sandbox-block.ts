import type { ApprovalPolicy, RunLimits, SandboxBlock } from '@parley/protocol'
import type { Decision } from './decide.ts'

/** Path that a failed command named, checked with the rights of the user. */
export interface CheckedPath {
  readonly path: string
  /** True when the sandbox hides it. */
  readonly masked: boolean
  /** True when the sandbox lets the command write or create it. */
  readonly writableInside: boolean
  /** True when it would be created directly in a writable folder, where a partial sandbox lets nothing be created. */
  readonly unmakeable: boolean
  /** True when the user could write or create it. */
  readonly writableOutside: boolean
  /** True when the command reports it missing, so it was read, not written. Ignored for a hidden path. */
  readonly saidMissing: boolean
}

interface FailedRun {
  readonly exitCode: number | null
  readonly triedNetwork: boolean
  readonly hasNetwork: boolean
  readonly checkedPaths: readonly CheckedPath[]
}

const maxPaths = 5

/**
 * Returns the paths and the network that the sandbox blocked in a failed command, or null. Decides by facts: the
 * network attempts that the kernel counted, and the rights to the paths that the output names. Words of the output
 * alone are never enough.
 */
export function detectBlock({ exitCode, triedNetwork, hasNetwork, checkedPaths }: FailedRun): SandboxBlock | null {
  if (exitCode === 0) return null
  const network = triedNetwork && !hasNetwork
  const paths = [...new Set(checkedPaths.filter(isBlocked).map(({ path }) => path))].slice(0, maxPaths)
  if (!network && paths.length === 0) return null
  const having = (trait: 'masked' | 'unmakeable') =>
    paths.filter((path) => checkedPaths.some((checked) => checked.path === path && checked[trait]))
  const [hidden, unmakeable] = [having('masked'), having('unmakeable')]
  return {
    paths,
    network,
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(unmakeable.length === 0 ? {} : { unmakeable }),
  }
}

function isBlocked({ masked, writableInside, writableOutside, saidMissing }: CheckedPath): boolean {
  if (masked) return true
  return !writableInside && writableOutside && !saidMissing
}

/**
 * Tells the model which limits of the sandbox blocked a command and how to ask for more. States the limits only, which
 * is true for any reason of the failure.
 *
 * @param mayAsk True when the model may ask for more rights.
 */
export function blockNotice({ paths, network, hidden = [], unmakeable = [] }: SandboxBlock, mayAsk: boolean): string {
  const others = paths.filter((path) => !hidden.includes(path) && !unmakeable.includes(path))
  const limits = [
    ...(hidden.length > 0 ? [`it hides ${hidden.join(', ')}, where secrets are kept; ask the user`] : []),
    ...(unmakeable.length > 0 ? [`${unmakeableText} ${unmakeable.join(', ')}`] : []),
    ...(others.length > 0 ? [`it does not let a command change or see ${others.join(', ')}`] : []),
    ...(network ? ['this tried to use the network, and it gives none'] : []),
  ].join('; ')
  const outside = unmakeable.length + others.length > 0
  return `(The sandbox: ${limits}.${mayAsk && (outside || network) ? ` ${howToAsk(outside)}` : ''})`
}

const unmakeableText =
  'it is partial here, and lets nothing be made or removed directly in a writable folder, only in the folders within it; that keeps it from'

function howToAsk(outside: boolean): string {
  const parameter = outside ? 'escalate: true' : 'network: true'
  return `If it needs that, call shell again with ${parameter} and a reason; the user is asked.`
}

/** Second attempt of a blocked command: the question about it, and its limits after a yes. */
export interface Retry {
  readonly decision: Decision
  readonly limits: RunLimits
}

/**
 * Returns the retry that the user is asked about under `on-failure`, or null: with the network where only that was
 * missing, else outside the sandbox. No rule and no grant answers the question.
 */
export function retryAfter(block: SandboxBlock | null, policy: ApprovalPolicy, first: RunLimits): Retry | null {
  if (block === null || policy !== 'on-failure' || first.sandbox === 'none') return null
  const name = block.paths.length > 0 ? 'retry-outside' : 'retry-with-network'
  const decision = { verdict: 'ask', rule: { name: `builtin:${name}` }, reason: retryReason(block) } as const
  return block.paths.length > 0
    ? { decision: { ...decision, run: 'unsandboxed' }, limits: { sandbox: 'none', network: true } }
    : { decision: { ...decision, run: 'sandboxed' }, limits: { ...first, network: true } }
}

function retryReason({ paths, network }: SandboxBlock): string {
  const hidden = paths.length === 0 ? [] : [`does not let it change or see ${paths.join(', ')}`]
  const offline = network ? ['gives it no network'] : []
  return `it ran in the sandbox and failed: the sandbox ${[...hidden, ...offline].join(' and ')}`
}

/** Path in the output of a command, as written there. */
interface PathMention {
  readonly text: string
  /** True when its line reports it missing. */
  readonly saidMissing: boolean
}

const maxLines = 400
const maxLineLength = 2_000
const maxNamed = 40

const saysMissing = /no such file|not found|does not exist|cannot find|ENOENT/i
// Excludes "file exists", since stand-ins for protected paths do exist in the sandbox.
const saysOtherFailure =
  /(?:is|not) a directory|directory (?:not empty|nonexistent)|no space left|E(?:ISDIR|NOTDIR|NOTEMPTY|NOSPC)\b/i
/**
 * Messages of refused writes: of the kernel, of programs with their own texts, and of the C library in common
 * languages. Needed because most lines only mention a path, and root could write nearly all of them.
 */
const saysBlocked = new RegExp(
  [
    'denied|not permitted|permission|read-?only|not writ|n.t writ|EACCES|EPERM|EROFS|errno (?:1|13|30)\\b|os error (?:1|13|30)\\b',
    '(?:unable|failed) to (?:create|write|open|lock|make|remove|copy|move)',
    "(?:cannot|can't|could not|couldn't) (?:create|write|open|lock|make|remove|copy|move|touch)",
    'berechtigung|nur lesbar|nicht erlaubt|accordée|lecture seul|non permise|permiso denegado|lectura|no permitida',
    'negato|sola lettura|non permessa|negada|somente leitura|não permitida|отказано|только для чтения|не позволен',
    '許可|専用|权限|只读|不允许|허가|읽기',
  ].join('|'),
  'iu',
)
/** Matches positions in source files (`file:12`, `file(12`, `"file", line 12`), which are shown, not accessed. */
const isSourcePosition = /^(?:["'`’”]?,? (?:at )?line \d|:\d|\(\d)/
const quoted = /(?:'([^'\n]{1,1000})'|"([^"\n]{1,1000})"|`([^`\n]{1,1000})`|‘([^’\n]{1,1000})’|“([^”\n]{1,1000})”)/g
const withSlash = /(?<![^\s:=([,'"])((?:~|\.{1,2})?\/[^\s:,;'"`()[\]<>]*|[\w.@+-]+(?:\/[\w.@+-]+)+)/g

/** Returns the paths that a failed command reports as blocked or missing, newest lines first. */
export function pathsInOutput(output: string): readonly PathMention[] {
  const lines = output.split('\n').slice(-maxLines).reverse()
  const named = lines.filter((line) => line.length <= maxLineLength).flatMap(pathsInLine)
  return named.slice(0, maxNamed)
}

function pathsInLine(line: string): readonly PathMention[] {
  const saidMissing = saysMissing.test(line)
  if (saysOtherFailure.test(line) || !(saidMissing || saysBlocked.test(line))) return []
  // Quoted text is one path, spaces included.
  const rest = line.replace(quoted, "''")
  return [...inQuotes(line), ...bare(rest), ...betweenColons(rest)].map((text) => ({ text, saidMissing }))
}

function inQuotes(line: string): string[] {
  return [...line.matchAll(quoted)].flatMap((match) => {
    const text = match.slice(1).find((group) => group !== undefined) ?? ''
    const after = line.slice(match.index + match[0].length)
    return isSourcePosition.test(after) || !isPlausible(text) ? [] : [text]
  })
}

function bare(line: string): string[] {
  return [...line.matchAll(withSlash)].flatMap((match) => {
    const text = (match[1] ?? '').replace(/[.!?]+$/, '')
    const after = line.slice(match.index + match[0].length)
    const isSpeaker = match.index === 0 && /^: .*: /.test(after)
    return isSpeaker || isSourcePosition.test(after) || !isPlausible(text) ? [] : [text]
  })
}

/** Finds names in lines such as `program: name: error`. */
function betweenColons(line: string): string[] {
  const segments = line.split(': ')
  return segments.slice(1, -1).filter((segment) => !/[\s'"`/]/.test(segment) && isPlausible(segment))
}

function isPlausible(text: string): boolean {
  return (
    text !== '' &&
    !text.startsWith('//') &&
    !text.includes('\0') &&
    !/^(?:\d+|E[A-Z]+)$/.test(text) &&
    !/^[a-z]+:\/\//i.test(text)
  )
}

const redirect = /(?:^|[^<>&\d])(?:\d?>>?\|?|&>>?)\s*([^\s;&|<>()'"`$]+)/g

/** Quoted words are removed, since `>` in a text redirects nothing. */
const quotedWords = /'[^']*'|"[^"]*"/g

/** Returns the targets of a script's redirections: the shell may report their failure in any words, or not at all. */
export function redirectTargets(script: string): readonly string[] {
  return [...script.replace(quotedWords, "''").matchAll(redirect)].map((match) => match[1] ?? '').filter(isPlausible)
}

/** Returns the words of a script that may be absolute paths. */
export function absolutePathsInScript(script: string): readonly string[] {
  return script
    .split(/[\s;&|<>()'"`=]+/)
    .filter((word) => /^(?:~?\/|\$HOME\/|\$\{HOME\}\/)/.test(word))
    .map((word) => word.replace(/^\$\{?HOME\}?/, '~'))
    .slice(0, maxNamed)
}
