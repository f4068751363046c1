import { exitCodes } from '../cli/exit-codes.ts'

export function hasTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Resolves what the program ends with. */
export function sayNoTerminal(): number {
  process.stderr.write('parley needs a terminal. In a script use: parley exec "…"\n')
  return exitCodes.usage
}
