/** Path in the output of a command, as written there. */
export interface PathMention {
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

/** Returns the targets of a script's redirections, whose failure the shell reports in any words or in none. */
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
