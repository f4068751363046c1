const allowed = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_*',
  'TERM',
  'TZ',
  'TMPDIR',
  'XDG_*',
  'EDITOR',
] as const

export interface EnvironmentRules {
  /** Names or globs (`*`, `?`) let through besides the allow list. */
  readonly include?: readonly string[]
  /** Names or globs held back, whatever let them through. */
  readonly exclude?: readonly string[]
  /** Tells a value that is secret: the allow list lets none through, whatever its name. `include` was asked for by name. */
  readonly isSecret?: (value: string) => boolean
  /** Added last: neither list touches these. */
  readonly set?: Readonly<Record<string, string>>
}

const isAllowed = anyOf(allowed)

/** The environment of a command: what the allow list and `include` let through, less `exclude`, plus `set`. */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  rules: EnvironmentRules = {},
): Record<string, string> {
  const isIncluded = anyOf(rules.include ?? [])
  const held = anyOf(rules.exclude ?? [])
  const { isSecret = () => false } = rules
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || held(name)) continue
    if (isIncluded(name) || (isAllowed(name) && !isSecret(value))) result[name] = value
  }
  return { ...result, ...rules.set }
}

function anyOf(globs: readonly string[]): (name: string) => boolean {
  const patterns = globs.map(toPattern)
  return (name) => patterns.some((pattern) => pattern.test(name))
}

function toPattern(glob: string): RegExp {
  const source = glob
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's')
}
