import type { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { ParleyError } from './parley-error.ts'

/** A lone word that is one slip of the fingers from a command was hardly meant for the model. */
export function refuseSlip(program: Command, prompt: string | undefined): void {
  if (prompt === undefined || program.parent !== null) return
  const meant = likelyCommand(prompt, namesOf(program))
  if (meant === null) return
  const message = `There is no command "${prompt}". Did you mean \`parley ${meant}\`? As a message it needs more than one word.`
  throw new ParleyError('usage', exitCodes.usage, message)
}

function namesOf({ commands }: Command): string[] {
  return commands.map((command) => command.name())
}

/** The command that is one letter (too many, missing, wrong) or one swap of neighbours away. */
export function likelyCommand(word: string, names: readonly string[]): string | null {
  return names.find((name) => isOneSlip(word, name)) ?? null
}

function isOneSlip(word: string, name: string): boolean {
  const start = commonLength([...word], [...name])
  const [left, right] = [word.slice(start), name.slice(start)]
  const swapped = `${left.charAt(1)}${left.charAt(0)}${left.slice(2)}`
  return word !== name && (right === swapped || [left, left.slice(1)].some((rest) => isRest(rest, left, right)))
}

/** What is left after the slip is the same: a letter of one, of the other, or of both was skipped. */
function isRest(rest: string, left: string, right: string): boolean {
  return rest === right.slice(1) || (rest !== left && rest === right)
}

function commonLength(left: readonly string[], right: readonly string[]): number {
  const differs = left.findIndex((letter, at) => letter !== right[at])
  return differs < 0 ? left.length : differs
}
