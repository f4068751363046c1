export interface SearchTerms {
  readonly pattern: string
  /** The pattern is plain text, not a regular expression. */
  readonly literal?: boolean
  readonly ignoreCase?: boolean
  /** ripgrep globs; one that begins with `!` excludes. */
  readonly globs?: readonly string[]
  readonly contextLines?: number
  /** Files that `.gitignore` hides are searched too. */
  readonly includeIgnored?: boolean
}

const maxColumns = 500
const maxContextLines = 20

/**
 * The argument list for a search. Everything that came from the model stands behind `-e`, `-g` or `--`, so it can
 * never be read as an option. Links are not followed, no configuration is read, no other program is started.
 * `--null` puts a NUL behind each path, which tells paths, matches and context apart whatever the names contain.
 */
export function searchArguments(terms: SearchTerms, path: string): string[] {
  const context = Math.min(Math.max(0, Math.trunc(terms.contextLines ?? 0)), maxContextLines)
  return [
    ...commonArguments(terms.globs ?? [], terms.includeIgnored ?? false),
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--crlf',
    `--max-columns=${maxColumns}`,
    '--max-columns-preview',
    `--context=${context}`,
    ...(terms.literal ? ['--fixed-strings'] : []),
    ...(terms.ignoreCase ? ['--ignore-case'] : []),
    '-e',
    terms.pattern,
    '--',
    path,
  ]
}

/** The argument list that prints the names of files, each followed by a NUL. */
export function fileNameArguments(globs: readonly string[], path: string, includeIgnored: boolean): string[] {
  return [...commonArguments(globs, includeIgnored), '--files', '--', path]
}

/** The order is by path, which costs ripgrep its threads but makes a clipped answer the same each time. */
function commonArguments(globs: readonly string[], includeIgnored: boolean): string[] {
  return [
    '--no-config',
    '--no-messages',
    '--no-follow',
    '--no-require-git',
    '--no-ignore-global',
    '--hidden',
    '--color=never',
    '--sort=path',
    '--null',
    ...(includeIgnored ? ['--no-ignore'] : []),
    ...globs.flatMap((glob) => ['-g', glob]),
    // Last, because of two globs that match the later one decides.
    '-g',
    '!.git',
  ]
}
