/** File of a diff as the lines above its chunks name it. */
export interface GitHeaders {
  /** Paths without the `a/` and `b/` of git; null on the side where there is no file. */
  readonly oldPath: string | null
  readonly newPath: string | null
  /** Line that asks for more than a patch can do; null without one. */
  readonly beyond: string | null
  /** Index of the first line below them. */
  readonly next: number
}

type Lines = readonly string[]

/** Tests if the section of a file in a diff begins at a line: of git, or of `diff -u`. */
export function isGitHeader(lines: Lines, index: number): boolean {
  const line = lines[index] ?? ''
  return line.startsWith('diff --git ') || (isPathPair(lines, index) && /^@@ -\d/.test(lines[index + 2] ?? ''))
}

/** Tests if a line with the old path and one with the new path stand at an index. */
export function isPathPair(lines: Lines, index: number): boolean {
  return /^--- \S/.test(lines[index] ?? '') && /^\+\+\+ \S/.test(lines[index + 1] ?? '')
}

const beyondPatches =
  /^(?:old mode|new mode|copy from|Binary files|GIT binary patch|(?:new|deleted) file mode (?!100644|100755)|new file mode 100755)/
const others = /^(?:(?:dis)?similarity index|index|rename|copy to|deleted file mode|new file mode)\b/

/** Reads the headers at a line; null where they name no file. */
export function readGitHeaders(lines: Lines, start: number): GitHeaders | null {
  const first = lines[start] ?? ''
  const isGit = first.startsWith('diff --git ')
  const above = extendedHeaders(lines, isGit ? start + 1 : start)
  const index = start + (isGit ? 1 : 0) + above.length
  const paired = isPathPair(lines, index)
  const moved = movedPaths(above)
  const paths =
    moved ?? (paired ? withoutPrefixes(lines[index] ?? '', lines[index + 1] ?? '') : namedPaths(first, above))
  const beyond = above.find((line) => beyondPatches.test(line)) ?? null
  return paths === null ? null : { ...paths, beyond, next: paired ? index + 2 : index }
}

function extendedHeaders(lines: Lines, start: number): Lines {
  const end = lines.findIndex((line, index) => index >= start && !beyondPatches.test(line) && !others.test(line))
  return lines.slice(start, end < 0 ? lines.length : end)
}

type Paths = Pick<GitHeaders, 'oldPath' | 'newPath'>

/** Returns the paths of a file that is moved or copied. */
function movedPaths(above: Lines): Paths | null {
  const find = (words: RegExp) => above.find((line) => words.test(line))?.replace(words, '')
  const [from, to] = [find(/^(?:rename|copy) from /), find(/^(?:rename|copy) to /)]
  return from === undefined || to === undefined ? null : { oldPath: unquoted(from), newPath: unquoted(to) }
}

/** Returns the paths in the first line of a file that has no lines to change. */
function namedPaths(first: string, above: Lines): Paths | null {
  const name = first.startsWith('diff --git ') ? sameName(first.slice('diff --git '.length)) : null
  if (name === null) return null
  const has = (word: string) => above.some((line) => line.startsWith(word))
  return { oldPath: has('new file mode') ? null : name, newPath: has('deleted file mode') ? null : name }
}

/** Returns the path of `a/PATH b/PATH`; null where the two differ. */
function sameName(paths: string): string | null {
  const half = (paths.length - 1) / 2
  const [one, other] = [unquoted(paths.slice(0, half)), unquoted(paths.slice(half + 1))]
  return one.replace(/^[a-z]\//, '') === other.replace(/^[a-z]\//, '') ? one.replace(/^[a-z]\//, '') : null
}

/** Reads `--- a/PATH` and `+++ b/PATH`, also without the letters and with a time behind the path. */
export function withoutPrefixes(oldLine: string, newLine: string): Paths {
  const [oldPath, newPath] = [oldLine, newLine].map((line) => unquoted(line.slice(4).replace(/\t.*$/, '').trimEnd()))
  const isPrefixed = [oldPath, newPath].every((path) => path === absent || /^[abciow]\//.test(path ?? ''))
  const plain = (path = absent) => (path === absent ? null : isPrefixed ? path.slice(2) : path)
  return { oldPath: plain(oldPath), newPath: plain(newPath) }
}

const absent = '/dev/null'

/** Reads a path as git quotes it, with the bytes of other letters as octal numbers. */
function unquoted(path: string): string {
  const quoted = /^"(.*)"$/.exec(path)?.[1]
  if (quoted === undefined) return path
  const bytes = quoted.replace(/\\([0-7]{3}|.)/g, (_, code: string) => escaped[code] ?? byteOf(code))
  return Buffer.from(bytes, 'latin1').toString()
}

const escaped: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' }

function byteOf(code: string): string {
  return /^[0-7]{3}$/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : code
}
