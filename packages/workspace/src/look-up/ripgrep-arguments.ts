export interface SearchTerms {
  readonly pattern: string
  /** Treats the pattern as plain text. */
  readonly literal?: boolean
  readonly ignoreCase?: boolean
  /** Globs in ripgrep's syntax; a leading `!` excludes. */
  readonly globs?: readonly string[]
  readonly contextLines?: number
  /** Includes files that `.gitignore` excludes. */
  readonly includeIgnored?: boolean
}

const maxColumns = 500
const maxContextLines = 20

/**
 * Returns the arguments for a text search.
 *
 * Model input only follows `-e`, `-g` or `--`, so it is never read as an option. Ripgrep follows no links, reads no
 * configuration and starts no program. `--null` ends each path with a NUL, so that any file name can be parsed.
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

/** Returns the arguments that list file names, each followed by a NUL. */
export function fileNameArguments(globs: readonly string[], path: string, includeIgnored: boolean): string[] {
  return [...commonArguments(globs, includeIgnored), '--files', '--', path]
}

/** Sorts by path: this limits ripgrep to one thread, but a clipped result is the same each time. */
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
    // Last, because later globs take precedence.
    '-g',
    '!.git',
  ]
}
