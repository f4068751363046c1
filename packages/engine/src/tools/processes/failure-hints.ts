import { basename } from 'node:path'
import { type CommandEnd, type HeldVariable, programsReading } from '@parley/host'
import type { Failure } from '@parley/protocol'

/** Command that may have failed, and the variables that it did not get. */
interface HintedCommand {
  /** Line of the shell. */
  readonly line: string
  readonly held: () => readonly HeldVariable[]
}

/** Variables that a conversation was told of already; each is reported once. */
export type ToldVariables = Set<string>

/**
 * Tells the user and the model which part of the user's environment a failed command missed; null where nothing shows
 * that.
 */
export function missedVariables(end: CommandEnd, { line, held }: HintedCommand, told: ToldVariables): Failure | null {
  if (!hasFailed(end)) return null
  const text = `${line}\n${end.head.toString()}\n${end.tail.toString()}`
  const missed = held().filter((one) => !told.has(one.name) && (isNamed(one.name, text) || isReadBy(one, line)))
  if (missed.length === 0) return null
  for (const { name } of missed) told.add(name)
  return { code: 'variablesHeldBack', message: heldWords(missed) }
}

/** Most variables that one sentence names. */
const maxNamed = 8

function heldWords(missed: readonly HeldVariable[]): string {
  const shown = missed.slice(0, maxNamed)
  const more = missed.length > maxNamed ? ` and ${missed.length - maxNamed} more` : ''
  const said = shown.map((one) => `${one.name}${heldReason(one)}`).join(', ')
  const names = shown.filter(({ because }) => because !== 'excluded').map(({ name }) => JSON.stringify(name))
  const remedy =
    names.length === 0 ? '' : ` [shell_environment] include = [${names.join(', ')}] in config.toml passes on.`
  return `It did not get all variables that parley was started with: not ${said}${more}.${remedy}`
}

/** Returns why a variable is held back in brackets; nothing for one that no list names. */
export function heldReason({ because }: HeldVariable): string {
  switch (because) {
    case 'excluded':
      return ' (excluded by the configuration)'
    case 'secret':
      return ' (its value holds a secret)'
    case 'changeable':
      return ' (it names a folder that commands can change)'
    case 'notListed':
      return ''
  }
}

/**
 * Returns true where a text speaks of a variable. A name that may be any word, as DEBUG and PORT are, counts only where it
 * is written as a variable is.
 */
function isNamed(name: string, text: string): boolean {
  const quoted = name.replace(/\W/g, String.raw`\$&`)
  const asWord = String.raw`(?<![\w$.-])${quoted}(?![\w-])`
  const missing = '(?:is |was |are )?(?:not |un|missing|required|undefined|empty)'
  const written = String.raw`[$]\{?${quoted}\b|\benv(?:iron)?\b\W{0,3}${quoted}\b|variable\W{1,3}${quoted}\b|${asWord}["'\x60]? ${missing}`
  return new RegExp(name.includes('_') ? `${asWord}|${written}` : written).test(text)
}

/** Returns true for a variable of the toolchain that a command line starts, where it was held back for its value. */
function isReadBy({ name, because }: HeldVariable, line: string): boolean {
  if (because === 'notListed') return false
  const words = line.split(/[\s;&|()"'`]+/).map((word) => basename(word))
  return programsReading(name).some((program) => words.includes(program))
}

/** Tells the model of a program that a login shell did not find; null for any other end. */
export function loginShellHint(end: CommandEnd, line: string): string | null {
  if (end.reason !== 'exited' || end.exitCode !== 127 || !loginShell.test(line)) return null
  return 'A login shell sets PATH anew. Without -l the command has the PATH that parley was started with.'
}

const loginShell = /\b(?:ba|z|k|da)?sh +(?:-[a-z]*l[a-z]*|--login)\b/

function hasFailed({ reason, exitCode, signal }: CommandEnd): boolean {
  return reason === 'exited' && (exitCode !== 0 || signal !== null)
}
