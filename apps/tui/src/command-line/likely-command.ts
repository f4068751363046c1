import type { Command } from 'commander'
import { misused, type ParleyError } from '../cli/exit-codes.ts'

/** Throws a usage error for a word that is one typing slip away from a command, and for unquoted prompts. */
export function refuseSlips({ args, commands }: Command): void {
  const [first = '', ...more] = args
  const meant = likelyCommand(first, namesOf(commands))
  if (meant !== null) throw misused(`There is no command "${first}". Did you mean \`parley ${meant}\`?${unless(more)}`)
  if (more.length > 0) throw misused('A prompt of several words needs quotes: parley "…"')
}

/** Returns the usage error for an unknown command. */
export function unknownCommand(word: string, { commands }: Pick<Command, 'commands'>): ParleyError {
  const meant = likelyCommand(word, namesOf(commands))
  const hint = meant === null ? '`parley help` lists them.' : `Did you mean \`${meant}\`?`
  return misused(`There is no command "${word}". ${hint}`)
}

function namesOf(commands: Command['commands']): readonly string[] {
  return commands.map((command) => command.name())
}

function unless(more: readonly string[]): string {
  return more.length > 0 ? '' : ' A message needs more than one word.'
}

/** Returns the command that differs by one letter (extra, missing, wrong) or one swap of neighbours. */
export function likelyCommand(word: string, names: readonly string[]): string | null {
  return names.find((name) => isOneSlip(word, name)) ?? null
}

function isOneSlip(word: string, name: string): boolean {
  if (word === name) return false
  const start = commonLength([...word], [...name])
  const [left, right] = [word.slice(start), name.slice(start)]
  const swapped = `${left.charAt(1)}${left.charAt(0)}${left.slice(2)}`
  const [leftRest, rightRest] = [left.slice(1), right.slice(1)]
  return left === rightRest || leftRest === right || leftRest === rightRest || swapped === right
}

function commonLength(left: readonly string[], right: readonly string[]): number {
  const differs = left.findIndex((letter, at) => letter !== right[at])
  return differs < 0 ? left.length : differs
}
