import { Console } from 'node:console'
import { setTimeout as delay } from 'node:timers/promises'
import { abandonedFolders, type Host, hasAbandonedNotes, readableTmp, sweepOrphans, sweepReserved } from '@parley/host'
import { noHomeExitCode } from '@parley/protocol'
import { showHidden } from '@parley/protocol/question'
import { removeTree } from '@parley/workspace'
import { UsageError } from './flags.ts'
import { HomeError } from './home-folder.ts'
import { removeStaleSockets } from './run-folder.ts'

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
/** Limit of a sweep at the end of a program; the next program does the rest. */
const lastSweepMs = 300
/** Delay before leftovers of killed servers are removed, so that the start does not wait for it. */
const sweepAfterMs = 2000

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
  const fail = (error: unknown) => {
    onDefect(error)
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
  /** Returns the socket of this server, which stays; null while it has none. */
  readonly socket: () => string | null
  /** Removes what conversations left whose server was killed. */
  readonly sweepFolders?: () => Promise<void>
}

interface Announced {
  /** Tells the clients where the process listens now. */
  readonly listensAt: (addresses: { readonly socket: string }) => void
}

/** Announces a socket that was made in place of a removed one, and has it removed when this process is killed. */
export function movedTo(
  socket: string,
  { engine, host }: { readonly engine: Announced; readonly host: Pick<Host, 'removeWhenKilled'> },
): void {
  host.removeWhenKilled(socket)
  engine.listensAt({ socket })
}

/**
 * Removes what killed processes left: a while after the start, or at the end of a program that runs for less. Returns the
 * function that the program calls at its end.
 */
export function sweepLater(writeLog: (line: string) => void, leftovers: Leftovers): () => Promise<void> {
  let swept: Promise<void> | null = null
  const { host } = leftovers
  const first = leftovers.socket()
  if (first !== null) host.removeWhenKilled(first)
  const timer = setTimeout(() => {
    host.startGuard()
    swept ??= sweep(writeLog, leftovers, 'always')
  }, sweepAfterMs).unref()
  return async () => {
    clearTimeout(timer)
    swept ??= sweep(writeLog, leftovers, 'afterTraces')
    await Promise.race([swept, delay(lastSweepMs, undefined, { ref: false })])
  }
}

/**
 * Removes all, whatever fails: each failure is a line of the log. To look at every process takes longest; `afterTraces`
 * does it where a killed process left something else.
 */
async function sweep(
  writeLog: (line: string) => void,
  { notes, socket, sweepFolders }: Leftovers,
  lookAtProcesses: 'always' | 'afterTraces',
): Promise<void> {
  const attempt = async <Result>(what: string, run: () => Result | Promise<Result>) => {
    try {
      return await run()
    } catch (error) {
      writeLog(`looking for ${what} failed: ${String(error)}`)
      return null
    }
  }
  const own = socket()
  const sockets = own === null ? 0 : await attempt('sockets', () => removeStaleSockets(own))
  const folders = [...abandonedFolders(), ...abandonedFolders(readableTmp), ...abandonedFolders(notes)]
  const hasTraces = sockets !== 0 || folders.length > 0 || hasAbandonedNotes(notes)
  // Before names are given free and folders removed, which processes could still use.
  const ended = lookAtProcesses === 'always' || hasTraces ? await attempt('orphans', () => sweepOrphans()) : 0
  if (ended !== null && ended > 0) writeLog(`ended ${ended} processes that a killed server left running`)
  await attempt('reserved names', () => sweepReserved(notes))
  for (const folder of folders) await attempt('temporary folders', () => removeTree(folder))
  await attempt('folders', async () => sweepFolders?.())
}
