import { Console } from 'node:console'
import { sweepOrphans } from '@parley/host'
import { UsageError } from '../serving/flags.ts'
import { removeStaleSockets } from '../serving/run-folder.ts'

const usageExitCode = 2

/** Runs a server program and exits with its code. Prints a `UsageError` to stderr and exits with 2. */
export async function runProgram(name: string, run: (argv: readonly string[]) => Promise<number>): Promise<never> {
  try {
    process.exit(await run(argumentsAfter(name)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`parley ${name}: ${error.message}\n`)
    process.exit(usageExitCode)
  }
}

/** Returns the program's arguments, whether started by itself or as `parley NAME …`. */
function argumentsAfter(name: string): readonly string[] {
  return process.argv.slice(process.argv[2] === name ? 3 : 2)
}

/** Exit code after a defect (EX_SOFTWARE). */
const defectExitCode = 70
const closingMs = 1500
/** Delay before leftovers of killed servers are removed, so that the start does not wait for it. */
const sweepAfterMs = 2000

/** Redirects the console to stderr, since dependencies may print. */
export function keepStdoutForProtocol(): void {
  globalThis.console = new Console(process.stderr)
}

/** Exits after an unhandled error, which is a defect, and gives commands and log a moment to close. */
export function endOnDefect(writeLog: (line: string) => void, close: () => Promise<void>): void {
  const fail = (error: unknown) => {
    writeLog(`defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    setTimeout(() => process.exit(defectExitCode), closingMs).unref()
    close().then(
      () => process.exit(defectExitCode),
      () => process.exit(defectExitCode),
    )
  }
  process.once('uncaughtException', fail)
  process.once('unhandledRejection', fail)
}

interface Leftovers {
  /** Socket of this server, which stays. */
  readonly socket: string | null
  /** Removes folders of conversations whose server was killed. */
  readonly sweepFolders?: () => Promise<void>
}

export function sweepLater(writeLog: (line: string) => void, { socket, sweepFolders }: Leftovers): void {
  const sweep = () => {
    sweepOrphans().then(
      (count) => {
        if (count > 0) writeLog(`ended ${count} processes that a killed server left running`)
      },
      (error: unknown) => writeLog(`looking for orphans failed: ${String(error)}`),
    )
    sweepFolders?.().catch((error: unknown) => writeLog(`looking for folders failed: ${String(error)}`))
    if (socket === null) return
    removeStaleSockets(socket).catch((error: unknown) => writeLog(`looking for sockets failed: ${String(error)}`))
  }
  setTimeout(sweep, sweepAfterMs).unref()
}
