import { showEffects } from '@parley/presentation/text/control-characters'
import { errorMessage } from '@parley/text'
import { exitCodes, ParleyError } from './cli/exit-codes.ts'
import { type Launch, type LaunchedServer, launchEarly, launchOptions, type ProgramBuild } from './cli/launch-server.ts'
import { reportBug } from './cli/report-bug.ts'
import { brokenOutputText, writeFailure } from './cli/run-ended.ts'
import type { Window } from './screen/open-window.ts'

/** Time for an unused server to end before it is killed. */
const farewellMs = 500
/** Time without progress after which unread stderr is dropped. */
const patienceMs = 5000

interface EarlyStart {
  /** Window that is already open; null for a command without one. */
  readonly window: Window | null
  /** Server that is already started; null without one. */
  readonly early: LaunchedServer | null
}

/** Starts the server, unless it is already started, then loads the command, so that both start side by side. Ends the process. */
export async function main(
  argv: readonly string[],
  program: ProgramBuild,
  { window, early }: EarlyStart,
): Promise<void> {
  const output = watchOutput()
  // A command continues when nothing reads its stderr.
  process.stderr.on('error', () => undefined)
  let launch: Launch
  try {
    const own = launchOptions(argv, program)
    launch = { ...own, streams: process, early: early ?? launchEarly(argv, own) }
    await window?.keysShown()
  } catch (error) {
    window?.[Symbol.dispose]()
    return exit(await explainStart(error, argv), { early: null, output })
  }
  const fail = async (error: unknown) => {
    const report = await reportBug(launch, program, error)
    const message = `internal error, this is a bug. A report is in ${report}`
    await writeFailure(argv, { failure: { code: 'internal', message }, exitCode: exitCodes.internal }, ends)
    return exit(exitCodes.internal, { early: launch.early, output })
  }
  process.once('uncaughtException', (error) => void fail(error))
  try {
    const { runCommandLine } = await import('./command-line/run-command-line.ts')
    await exit(await runCommandLine(argv, { launch, window }), { early: launch.early, output })
  } catch (error) {
    await fail(error)
  }
}

/** Exits with success when the reader of stdout has closed it; keeps the first error of any other kind. */
function watchOutput(): { readonly failure: Error | null } {
  const output: { failure: Error | null } = { failure: null }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok)
    output.failure ??= error
  })
  return output
}

const ends = {
  stdout: process.stdout,
  say: (message: string) => void process.stderr.write(`parley: ${showEffects(message)}\n`),
}

async function explainStart(error: unknown, argv: readonly string[]): Promise<number> {
  const { code, exitCode } = error instanceof ParleyError ? error : { code: 'internal', exitCode: exitCodes.internal }
  const message = errorMessage(error)
  await writeFailure(argv, { failure: { code, message }, exitCode }, ends)
  return exitCode
}

/**
 * Exits after stdout and stderr were read: an earlier exit would lose output to a slow reader. Lost output makes a
 * success a failure, except on a closed terminal.
 */
async function exit(
  code: number,
  { early, output }: Pick<EarlyStart, 'early'> & { readonly output: ReturnType<typeof watchOutput> },
): Promise<never> {
  const unused = early?.isClaimed === false ? early : null
  unused?.kill('SIGTERM')
  await written(process.stdout)
  const lost = code === exitCodes.ok && !process.stdout.isTTY ? output.failure : null
  if (lost !== null) ends.say(brokenOutputText(lost))
  // A parent that never reads stderr must not block the exit; one that reads slowly gets all of it.
  for (let left = Number.POSITIVE_INFINITY; process.stderr.writableLength < left; ) {
    left = process.stderr.writableLength
    await Promise.race([written(process.stderr), delay(patienceMs)])
  }
  await Promise.race([unused?.exited, delay(farewellMs)])
  unused?.kill('SIGKILL')
  process.exit(lost === null ? code : exitCodes.storage)
}

function written(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => stream.write('', resolve))
}

function delay(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref())
}
