export interface GitSetting {
  /** `section.key` or `section.subsection.key`, all but the subsection in lower case. */
  readonly name: string
  readonly value: string
}

const header = /\[\s*([A-Za-z0-9.-]+)(?:[ \t]+"((?:\\[^\n]|[^"\\\n])*)")?\s*\]/y
const assignment = /[A-Za-z][A-Za-z0-9-]*[ \t]*=/y
/**
 * A value as it is written: it ends before a comment, or with a line that is not continued. Character by character, as a
 * repeated run would be tried in every way when a quote is not closed.
 */
const written = /(?:[^\n\\"#;]|\\[\s\S]|"(?:[^"\\\n]|\\[\s\S])*")*/y
const blank = /\s+/y

/**
 * Reads the settings in a text of git's configuration, in order, as git does: quotes, escapes, continued lines,
 * comments. git stops with an error at a line it does not understand; here that line is left out.
 */
export function settingsInText(given: string): GitSetting[] {
  // To git a NUL ends the value; here no path may hold one.
  const text = given
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '\n')
    .replaceAll('\r\n', '\n')
  const found: GitSetting[] = []
  let section = ''
  for (let at = 0; at < text.length; ) {
    const [whole, name = '', subsection] = matchAt(header, text, at) ?? []
    const [key] = matchAt(assignment, text, at) ?? []
    if (whole !== undefined) {
      section = [name.toLowerCase(), ...(subsection === undefined ? [] : [subsection.replace(/\\(.)/g, '$1')])].join(
        '.',
      )
      at += whole.length
    } else if (key !== undefined) {
      const [value = ''] = matchAt(written, text, at + key.length) ?? []
      found.push({ name: `${section}.${key.slice(0, -1).trim().toLowerCase()}`, value: meaningOf(value) })
      at = lineEnd(text, at + key.length + value.length)
    } else at += matchAt(blank, text, at)?.[0].length ?? lineEnd(text, at) - at
  }
  return found
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Finds where the next line begins. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

const escapes: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n' }

/** Resolves continued lines, quotes and escapes, and drops the blanks around. */
function meaningOf(value: string): string {
  const line = value.replace(/\\([\s\S])/g, (all, letter: string) => (letter === '\n' ? '' : all))
  return line
    .trim()
    .replace(/\\([\s\S])|"/g, (_, letter?: string) => (letter === undefined ? '' : (escapes[letter] ?? letter)))
}

/**
 * Lists the settings in variables, as git reads them: `GIT_CONFIG_COUNT` with `GIT_CONFIG_KEY_n` and
 * `GIT_CONFIG_VALUE_n`, and `GIT_CONFIG_PARAMETERS`, which carries the settings of `git -c`.
 */
export function settingsInEnv(env: Readonly<Record<string, string | undefined>>): GitSetting[] {
  const found: GitSetting[] = []
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  for (let at = 0; at < count; at += 1) {
    const key = env[`GIT_CONFIG_KEY_${at}`]
    // git stops with an error at the first that is missing.
    if (key === undefined) break
    found.push({ name: nameOf(key), value: env[`GIT_CONFIG_VALUE_${at}`] ?? '' })
  }
  for (const [, key = '', value] of (env['GIT_CONFIG_PARAMETERS'] ?? '').matchAll(parameter)) {
    const written = unquoted(key)
    const end = value === undefined ? written.indexOf('=') : -1
    if (value !== undefined) found.push({ name: nameOf(written), value: unquoted(value) })
    else if (end > 0) found.push({ name: nameOf(written.slice(0, end)), value: written.slice(end + 1) })
  }
  return found
}

/** Words in single quotes, `'key'='value'` or `'key=value'`; a quote or `!` in them is written `'\''` or `'\!'`. */
const parameter = /'((?:[^']|'\\['!]')*)'(?:='((?:[^']|'\\['!]')*)')?/g

function unquoted(word: string): string {
  return word.replace(/'\\(['!])'/g, '$1')
}

/** Returns a key with its section and its last part in lower case, as names of settings are compared. */
function nameOf(key: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  return first === -1
    ? key.toLowerCase()
    : `${key.slice(0, first).toLowerCase()}${key.slice(first, last)}${key.slice(last).toLowerCase()}`
}
