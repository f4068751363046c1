import { ceilingFlags, failedLines, wantsCodexLines, withCallersKey } from './cli/early-arguments.ts'
import { exitCodes, ParleyError } from './cli/exit-codes.ts'
import { homeFolder } from './cli/folders.ts'
import { type Launch, type LaunchedServer, launchEarly, type Program } from './cli/launch-server.ts'
import { reportBug } from './cli/report-bug.ts'

/** How long a server that nobody came to need may take to leave. */
const farewellMs = 500
/** How long stderr may be unread before the rest of it is given up. */
const patienceMs = 5000

/** Starts the server first, then loads what the command needs: the two run side by side. */
export async function main(argv: readonly string[], program: Program): Promise<void> {
  const env = withCallersKey(argv, process.env)
  process.stdout.on('error', leaveOnClosedPipe)
  // What is said on the way is a courtesy: a command goes on when nobody reads it.
  process.stderr.on('error', () => undefined)
  let launch: Launch
  try {
    const home = homeFolder(env)
    const own = { program, home, env, ceiling: ceilingFlags(argv) }
    launch = { ...own, early: launchEarly(argv, own) }
  } catch (error) {
    return exit(explainStart(error, argv), null)
  }
  const fail = async (error: unknown) => {
    const report = await reportBug(launch, program, error)
    explain(`internal error, this is a bug. A report is in ${report}`, argv)
    return exit(exitCodes.internal, launch.early)
  }
  process.once('uncaughtException', (error) => void fail(error))
  try {
    const { runCommandLine } = await import('./command-line/run-command-line.ts')
    await exit(await runCommandLine(argv, launch), launch.early)
  } catch (error) {
    await fail(error)
  }
}

/** A reader that leaves is a normal end. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok)
}

function explain(message: string, argv: readonly string[]): void {
  process.stderr.write(`parley: ${message}\n`)
  if (wantsCodexLines(argv)) process.stdout.write(failedLines(message))
}

function explainStart(error: unknown, argv: readonly string[]): number {
  explain(error instanceof Error ? error.message : String(error), argv)
  return error instanceof ParleyError ? error.exitCode : exitCodes.internal
}

/** Only after what was written has been taken: leaving earlier loses output when the reader is slow. */
async function exit(code: number, early: LaunchedServer | null): Promise<never> {
  const unused = early?.isClaimed === false ? early : null
  unused?.kill('SIGTERM')
  await written(process.stdout)
  // A parent that never looks at stderr must not keep us; one that reads it slowly gets it all.
  for (let left = Number.POSITIVE_INFINITY; process.stderr.writableLength < left; ) {
    left = process.stderr.writableLength
    await Promise.race([written(process.stderr), delay(patienceMs)])
  }
  await Promise.race([unused?.exited, delay(farewellMs)])
  unused?.kill('SIGKILL')
  process.exit(code)
}

function written(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => stream.write('', resolve))
}

function delay(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref())
}
