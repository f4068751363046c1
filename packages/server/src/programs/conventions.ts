import { Console } from 'node:console'
import { abandonedFolders, type Host, sweepOrphans, sweepReserved } from '@parley/host'
import { removeTree } from '@parley/workspace'
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
/** Limit of a sweep at the end of a program; the next program does the rest. */
const lastSweepMs = 300
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
  readonly host: Pick<Host, 'startGuard' | 'removeWhenKilled'>
  /** Folder in which sandboxes note the names they reserve. */
  readonly notes: string
  /** Socket of this server, which stays; null when it has none. */
  readonly socket: string | null
  /** Removes what conversations left whose server was killed. */
  readonly sweepFolders?: () => Promise<void>
}

/**
 * Removes what killed processes left: a while after the start, or at the end of a program that runs for less. Returns the
 * function that the program calls at its end.
 */
export function sweepLater(writeLog: (line: string) => void, leftovers: Leftovers): () => Promise<void> {
  let swept: Promise<void> | null = null
  const sweepOnce = () => {
    swept ??= sweep(writeLog, leftovers)
    return swept
  }
  const { host, socket } = leftovers
  if (socket !== null) host.removeWhenKilled(socket)
  const timer = setTimeout(() => {
    host.startGuard()
    void sweepOnce()
  }, sweepAfterMs).unref()
  return () => {
    clearTimeout(timer)
    return Promise.race([sweepOnce(), new Promise<void>((resolve) => setTimeout(resolve, lastSweepMs).unref())])
  }
}

/** Sweeps everything, whatever fails: each failure is a line of the log. */
async function sweep(writeLog: (line: string) => void, { notes, socket, sweepFolders }: Leftovers): Promise<void> {
  const attempt = async (what: string, run: () => unknown) => {
    try {
      await run()
    } catch (error) {
      writeLog(`looking for ${what} failed: ${String(error)}`)
    }
  }
  // Processes first: what they use is free then.
  await attempt('orphans', async () => {
    const count = await sweepOrphans()
    if (count > 0) writeLog(`ended ${count} processes that a killed server left running`)
  })
  await attempt('reserved names', () => sweepReserved(notes))
  for (const folder of [...abandonedFolders(), ...abandonedFolders(notes)])
    await attempt('temporary folders', () => removeTree(folder))
  await attempt('folders', () => sweepFolders?.())
  if (socket !== null) await attempt('sockets', () => removeStaleSockets(socket))
}
