/** A path that a command names, as it is written there. */
export interface NamedPath {
  readonly text: string
  /** The line that names it says that it is not there. */
  readonly saidMissing: boolean
}

const maxLines = 400
const maxLineLength = 2_000
const maxNamed = 40

const saysMissing = /no such file|not found|does not exist|cannot find|ENOENT/i
// That a file exists is no such thing: stand-ins for what must not be made do.
const saysElse =
  /(?:is|not) a directory|directory (?:not empty|nonexistent)|no space left|E(?:ISDIR|NOTDIR|NOTEMPTY|NOSPC)\b/i
/**
 * In the words of the kernel's errors, of programs that have their own, and of the C library in the usual languages.
 * Most lines that name a path only talk of it, and whoever is root could write nearly all of them.
 */
const saysRefused = new RegExp(
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
/** `file:12`, `file(12`, `"file", line 12`: a place in a source, which is shown and not touched. */
const isSourcePlace = /^(?:["'`’”]?,? (?:at )?line \d|:\d|\(\d)/
const quoted = /(?:'([^'\n]{1,1000})'|"([^"\n]{1,1000})"|`([^`\n]{1,1000})`|‘([^’\n]{1,1000})’|“([^”\n]{1,1000})”)/g
const withSlash = /(?<![^\s:=([,'"])((?:~|\.{1,2})?\/[^\s:,;'"`()[\]<>]*|[\w.@+-]+(?:\/[\w.@+-]+)+)/g

/**
 * Paths that a command which failed says it was refused, or did not find: the newest lines first. Programs say where
 * they could not write.
 */
export function pathsInOutput(output: string): readonly NamedPath[] {
  const lines = output.split('\n').slice(-maxLines).reverse()
  const named = lines.filter((line) => line.length <= maxLineLength).flatMap(pathsInLine)
  return named.slice(0, maxNamed)
}

function pathsInLine(line: string): readonly NamedPath[] {
  const saidMissing = saysMissing.test(line)
  if (saysElse.test(line) || !(saidMissing || saysRefused.test(line))) return []
  // What is quoted is one path, blanks included.
  const rest = line.replace(quoted, "''")
  return [...inQuotes(line), ...bare(rest), ...betweenColons(rest)].map((text) => ({ text, saidMissing }))
}

function inQuotes(line: string): string[] {
  return [...line.matchAll(quoted)].flatMap((match) => {
    const text = match.slice(1).find((group) => group !== undefined) ?? ''
    const after = line.slice(match.index + match[0].length)
    return isSourcePlace.test(after) || !isPlausible(text) ? [] : [text]
  })
}

function bare(line: string): string[] {
  return [...line.matchAll(withSlash)].flatMap((match) => {
    const text = (match[1] ?? '').replace(/[.!?]+$/, '')
    const after = line.slice(match.index + match[0].length)
    const isSpeaker = match.index === 0 && /^: .*: /.test(after)
    return isSpeaker || isSourcePlace.test(after) || !isPlausible(text) ? [] : [text]
  })
}

/** `program: name: what is wrong with it`. */
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

/** An arrow in a text writes nothing. */
const quotedWords = /'[^']*'|"[^"]*"/g

/** Where a script would have its shell write to: the shell may say it in any words, or in none. */
export function redirectTargets(script: string): readonly string[] {
  return [...script.replace(quotedWords, "''").matchAll(redirect)].map((match) => match[1] ?? '').filter(isPlausible)
}

/** All words of a script that may name a place by its full path. */
export function placesMentioned(script: string): readonly string[] {
  return script
    .split(/[\s;&|<>()'"`=]+/)
    .filter((word) => /^(?:~?\/|\$HOME\/|\$\{HOME\}\/)/.test(word))
    .map((word) => word.replace(/^\$\{?HOME\}?/, '~'))
    .slice(0, maxNamed)
}
