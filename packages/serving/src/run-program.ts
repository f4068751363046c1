import { Console } from 'node:console'
import { noHomeExitCode } from '@parley/protocol'
import { showHidden } from '@parley/protocol/question'
import { UsageError } from './flags.ts'
import { HomeError } from './home-folder.ts'

const usageExitCode = 2

/** Runs a server program and exits with its code. Prints a `UsageError` to stderr and exits with 2, a `HomeError` with 9. */
export async function runProgram(name: string, run: (argv: readonly string[]) => Promise<number>): Promise<never> {
  // It may be a file on a full disk, or a pipe that nobody reads any more.
  process.stderr.on('error', () => undefined)
  try {
    process.exit(await run(argumentsAfter(name)))
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof HomeError)) throw error
    // It quotes arguments, which a repository may have chosen.
    process.stderr.write(`parley ${name}: ${showHidden(error.message)}\n`)
    process.exit(error instanceof HomeError ? noHomeExitCode : usageExitCode)
  }
}

/** Returns the program's arguments, whether started by itself or as `parley NAME …`. */
function argumentsAfter(name: string): readonly string[] {
  return process.argv.slice(process.argv[2] === name ? 3 : 2)
}

/** Exit code after a defect (EX_SOFTWARE). */
const defectExitCode = 70
const closingMs = 1500

/** Redirects the console to stderr, since dependencies may print. */
export function keepStdoutForProtocol(): void {
  globalThis.console = new Console(process.stderr)
}

/** Exits after an unhandled error, which is a defect, and gives commands and log a moment to close. */
export function endOnDefect(
  writeLog: (line: string) => void,
  close: () => Promise<void>,
  onDefect: (error: unknown) => void = () => undefined,
): void {
  const exit = () => process.exit(defectExitCode)
  const fail = (error: unknown) => {
    onDefect(error)
    writeLog(`defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    setTimeout(exit, closingMs).unref()
    close().then(exit, exit)
  }
  process.once('uncaughtException', fail)
  process.once('unhandledRejection', fail)
}
