import { spawn } from 'node:child_process'
import { constants } from 'node:os'

interface RunContext {
  readonly cwd?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Runs a program that has the terminal until it ends. Resolves to null when it ended well, else to what went wrong. */
export function runWithTerminal(argv: readonly string[], { cwd, env }: RunContext): Promise<string | null> {
  const [program = '', ...words] = argv
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const child = spawn(program, words, { stdio: 'inherit', env: { ...env }, ...(cwd === undefined ? {} : { cwd }) })
  child.on('error', ({ message }) => resolve(message))
  child.on('close', (exitCode, signal) =>
    resolve(exitCode === 0 ? null : `it ended with ${signal ?? exitWord(exitCode)}`),
  )
  return promise
}

/** Returns the exit code, or the name of the signal for which a shell gives 128 and its number. */
function exitWord(exitCode: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode)
  return signal?.[0] ?? String(exitCode)
}
