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

export interface EnvRules {
  /** Names or globs (`*`, `?`) passed on besides the allow list. */
  readonly include?: readonly string[]
  /** Names or globs removed, even if another rule passes them on. */
  readonly exclude?: readonly string[]
  /** Returns true for a secret value, which the allow list does not pass on. `include` does: it was requested by name. */
  readonly isSecret?: (value: string) => boolean
  /** Variables added last; neither list applies to them. */
  readonly set?: Readonly<Record<string, string>>
}

const isAllowed = anyOf(allowed)

/** Returns the env of a command: what the allow list and `include` pass on, less `exclude`, plus `set`. */
export function commandEnv(
  environment: Readonly<Record<string, string | undefined>>,
  rules: EnvRules = {},
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
