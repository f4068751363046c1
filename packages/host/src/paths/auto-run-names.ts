import { type AutoRunFiles, autoRunFiles } from './auto-run-table.ts'
import type { GuardKind } from './guarded-names.ts'

/** Rows with a pattern of paths below a folder that are one of the names, or lie in one. */
const rows = autoRunFiles.map((row) => ({ row, pattern: patternOf(row.names) }))

/** Returns a pattern for names in a path, in either case: some file systems ignore it. */
function patternOf(names: readonly string[]): RegExp {
  return new RegExp(`(?:^|/)(?:${names.map(sourceOf).join('|')})(?:/|$)`, 'i')
}

/** Returns a name as the source of a pattern, which stays within one name of a path. */
function sourceOf(name: string): string {
  return name.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]*')
}

/** Returns why a patch of a path below a writable folder asks, by its names alone; null where they are ordinary ones. */
export function guardOfAutoRunName(path: string): GuardKind | null {
  for (const { row, pattern } of rows) if ('ask' in row.patches && pattern.test(path)) return row.patches.ask
  return null
}

/** Returns the programs that run or obey a file later, by its names alone; null for other files. */
export function autoRunNote(path: string): string | null {
  for (const { row, pattern } of rows) if ('note' in row.patches && pattern.test(path)) return row.patches.note
  return null
}

/** Name at the top of a writable folder, and why it is kept from commands. */
type NamedKind = readonly [name: string, kind: GuardKind]

function namesFor(commands: AutoRunFiles['commands']): readonly NamedKind[] {
  return autoRunFiles.flatMap(({ names, patches, ...row }) =>
    row.commands === commands && 'ask' in patches ? names.map((name) => [name, patches.ask] as const) : [],
  )
}

/** Names that no command can make. */
export const reservedNames: readonly NamedKind[] = namesFor('reserved')

const closed = namesFor('closed')
const isPattern = ([name]: NamedKind): boolean => name.includes('*')

/**
 * Names of files that are closed to commands; new ones are moved aside. Other programs would read placeholders as these
 * files.
 */
export const closedNames: readonly NamedKind[] = closed.filter((named) => !isPattern(named))

/** Patterns of such names. */
export const closedPatterns: readonly (readonly [pattern: RegExp, kind: GuardKind])[] = closed
  .filter(isPattern)
  .map(([name, kind]) => [new RegExp(`^${sourceOf(name)}$`, 'i'), kind])

/** Tests if a name at the top of a writable folder is closed to commands by a pattern. */
export function isClosedByPattern(name: string): boolean {
  return closedPatterns.some(([pattern]) => pattern.test(name))
}
