import { isAbsolute, resolve } from 'node:path'
import { followLinks, isWithin } from '../system/real-path.ts'
import { toolchainVariables } from './toolchain-variables.ts'

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
  /**
   * Folders that commands may change, for a program that gets the variables of toolchains. Absent for a program without
   * them: outside the sandbox it would load files that a command left in such a folder.
   */
  readonly changeable?: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>

/** Returns the env of a command: variables passed by the allow list and `include`, less `exclude`, plus `set`. */
export function commandEnv(environment: Variables, rules: EnvRules = {}): Record<string, string> {
  const whyHeld = judgeBy(rules)
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && whyHeld(name, value) === null) result[name] = value
  }
  return { ...result, ...rules.set }
}

/**
 * Reason why a command does not get a variable; `changeable` for a variable that makes every program load files from a
 * folder that commands may change.
 */
type HeldBecause = 'notListed' | 'excluded' | 'secret' | 'changeable'

export interface HeldVariable {
  readonly name: string
  readonly because: HeldBecause
}

/** Variables that a shell sets itself. */
const ofShells: ReadonlySet<string> = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL'])

/** Returns the variables of an environment that a command does not get, by name. */
export function heldVariables(environment: Variables, rules: EnvRules): readonly HeldVariable[] {
  const whyHeld = judgeBy(rules)
  return Object.entries(environment)
    .flatMap(([name, value]): HeldVariable[] => {
      if (value === undefined || ofShells.has(name) || Object.hasOwn(rules.set ?? {}, name)) return []
      const because = whyHeld(name, value)
      return because === null ? [] : [{ name, because }]
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns what judges each variable; null for one that is passed on. */
function judgeBy(rules: EnvRules): (name: string, value: string) => HeldBecause | null {
  const { include = [], exclude = [], isSecret = () => false, changeable } = rules
  const isIncluded = anyOf(include)
  const isExcluded = anyOf(exclude)
  return (name, value) => {
    if (isExcluded(name)) return 'excluded'
    if (isIncluded(name)) return null
    if (isAllowed(name)) return isSecret(value) ? 'secret' : null
    if (changeable === undefined || !toolchainVariables.has(name)) return 'notListed'
    if (hasUserInfo.test(value) || isSecret(value)) return 'secret'
    return name === 'LD_LIBRARY_PATH' && isChangeable(value, changeable) ? 'changeable' : null
  }
}

/** Matches a URL with a user name, which may be a token. */
const hasUserInfo = /\/\/[^/\s]*@/

/**
 * Returns true for a list of folders with one that commands may change. Every program loads files from these, also the
 * sandbox's own setup program and programs that run unasked. An empty or relative entry is the working folder.
 */
function isChangeable(value: string, folders: readonly string[]): boolean {
  return value.split(':').some((path) => {
    if (!isAbsolute(path)) return true
    const { real, links } = followLinks(path)
    return [resolve(path), real, ...links].some((at) => [...forAll, ...folders].some((one) => isWithin(at, one)))
  })
}

const forAll = ['/tmp', '/var/tmp', '/dev/shm', '/proc'] as const

const isAllowed = anyOf(allowed)

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
