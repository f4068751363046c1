import { type ExitCode, exitCodes } from './exit-codes.ts'

/** An end of the program that is nobody's bug: a sentence for the user, and the exit code. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  /** Stable, as in the failures of turns. */
  readonly code: string
  readonly exitCode: ExitCode

  constructor(code: string, exitCode: ExitCode, message: string) {
    super(message)
    this.code = code
    this.exitCode = exitCode
  }
}

/** What a command line asks for cannot be. */
export function misused(message: string): ParleyError {
  return new ParleyError('usage', exitCodes.usage, message)
}
