import { exitCodes, ParleyError } from './cli/exit-codes.ts'
import { type Launch, type LaunchedServer, launchEarly, launchOptions, type Program } from './cli/launch-server.ts'
import { reportBug } from './cli/report-bug.ts'
import { writeFailure } from './cli/run-ended.ts'
import type { Window } from './screen/open-window.ts'
import { showEffects } from './view/text/control-characters.ts'

/** Time for an unused server to end before it is killed. */
const farewellMs = 500
/** Time without progress after which unread stderr is dropped. */
const patienceMs = 5000

interface Begun {
  readonly window: Window | null
  /** Server that was started before; null if none was. */
  readonly early: LaunchedServer | null
}

/**
 * Starts the server, if none was started before, then loads the command, so that both start side by side. Ends the
 * process. `window` was opened before, if the command has one.
 */
export async function main(argv: readonly string[], program: Program, { window, early }: Begun): Promise<void> {
  process.stdout.on('error', leaveOnClosedPipe)
  // A command continues when nothing reads its stderr.
  process.stderr.on('error', () => undefined)
  let launch: Launch
  try {
    const own = launchOptions(argv, program)
    launch = { ...own, early: early ?? launchEarly(argv, own) }
    await window?.keysShown()
  } catch (error) {
    window?.[Symbol.dispose]()
    return exit(await explainStart(error, argv), null)
  }
  const fail = async (error: unknown) => {
    const report = await reportBug(launch, program, error)
    const message = `internal error, this is a bug. A report is in ${report}`
    await writeFailure(argv, { failure: { code: 'internal', message }, exitCode: exitCodes.internal }, say)
    return exit(exitCodes.internal, launch.early)
  }
  process.once('uncaughtException', (error) => void fail(error))
  try {
    const { runCommandLine } = await import('./command-line/run-command-line.ts')
    await exit(await runCommandLine(argv, { launch, window }), launch.early)
  } catch (error) {
    await fail(error)
  }
}

/** Exits with success when the reader of stdout has closed it. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok)
}

function say(message: string): void {
  process.stderr.write(`parley: ${showEffects(message)}\n`)
}

async function explainStart(error: unknown, argv: readonly string[]): Promise<number> {
  const { code, exitCode } = error instanceof ParleyError ? error : { code: 'internal', exitCode: exitCodes.internal }
  const message = error instanceof Error ? error.message : String(error)
  await writeFailure(argv, { failure: { code, message }, exitCode }, say)
  return exitCode
}

/** Exits after stdout and stderr were read: an earlier exit loses output to a slow reader. */
async function exit(code: number, early: LaunchedServer | null): Promise<never> {
  const unused = early?.isClaimed === false ? early : null
  unused?.kill('SIGTERM')
  await written(process.stdout)
  // A parent that never reads stderr must not block the exit; one that reads slowly gets all of it.
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
