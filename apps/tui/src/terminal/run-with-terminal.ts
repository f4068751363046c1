import { constants } from 'node:os'
import { startProgram } from './start-program.ts'

interface RunContext {
  readonly cwd?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Runs a program that has the terminal until it ends. Resolves to null when it ended well, else to what went wrong. */
export function runWithTerminal(argv: readonly string[], { cwd, env }: RunContext): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const options = { stdio: 'inherit', env: { ...env }, ...(cwd === undefined ? {} : { cwd }) } as const
  const child = startProgram(argv, options, resolve)
  child?.on('close', (exitCode, signal) =>
    resolve(exitCode === 0 ? null : `it ended with ${signal ?? exitWord(exitCode)}`),
  )
  return promise
}

/** Returns the exit code, or the name of the signal for which a shell gives 128 and its number. */
function exitWord(exitCode: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode)
  return signal?.[0] ?? String(exitCode)
}
