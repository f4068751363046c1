import { constants } from 'node:os'
import type { EnvVariables } from '../cli/folders.ts'
import { startProgram } from '../processes/start-program.ts'

/** Runs a program that has the terminal until it ends. Resolves to null after a success, else to the reason of the failure. */
export function runWithTerminal(
  argv: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env: EnvVariables },
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const options = { stdio: 'inherit', env: { ...env }, ...(cwd === undefined ? {} : { cwd }) } as const
  const child = startProgram(argv, options, resolve)
  child?.on('close', (exitCode, signal) =>
    resolve(exitCode === 0 ? null : `it ended with ${signal ?? exitWord(exitCode)}`),
  )
  return promise
}

/** Returns the exit code, or the name of the signal if the code is 128 plus a signal's number. */
function exitWord(exitCode: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode)
  return signal?.[0] ?? String(exitCode)
}
