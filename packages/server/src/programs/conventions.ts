import { Console } from 'node:console'
import { sweepOrphans } from '@parley/host'
import { UsageError } from '../serving/flags.ts'
import { removeStaleSockets } from '../serving/run-folder.ts'

const usageExitCode = 2

/** Runs a server program to its exit code; one that was asked for what cannot be done says so in a sentence. */
export async function runProgram(name: string, run: (argv: readonly string[]) => Promise<number>): Promise<never> {
  try {
    process.exit(await run(argumentsAfter(name)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`parley ${name}: ${error.message}\n`)
    process.exit(usageExitCode)
  }
}

/** What it was started with, by itself or as `parley NAME …`. */
function argumentsAfter(name: string): readonly string[] {
  return process.argv.slice(process.argv[2] === name ? 3 : 2)
}

/** After a defect (EX_SOFTWARE). */
const defectExitCode = 70
const farewellMs = 1500
/** What a killed server left is looked for when nobody waits for us any more. */
const sweepAfterMs = 2000

/** What a dependency prints goes to stderr. */
export function keepStdoutForProtocol(): void {
  globalThis.console = new Console(process.stderr)
}

/** Nothing a user did leads here. Commands are ended and the log is closed, for a moment, then the process goes. */
export function endOnDefect(writeLog: (line: string) => void, close: () => Promise<void>): void {
  const fail = (error: unknown) => {
    writeLog(`defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    setTimeout(() => process.exit(defectExitCode), farewellMs).unref()
    close().then(
      () => process.exit(defectExitCode),
      () => process.exit(defectExitCode),
    )
  }
  process.once('uncaughtException', fail)
  process.once('unhandledRejection', fail)
}

interface Leavings {
  /** This server's own. */
  readonly socket: string | null
  /** Of conversations whose server was killed. */
  readonly sweepFolders?: () => Promise<void>
}

export function sweepLater(writeLog: (line: string) => void, { socket, sweepFolders }: Leavings): void {
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
