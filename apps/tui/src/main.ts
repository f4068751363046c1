import { homedir } from 'node:os'
import { join } from 'node:path'
import { exitCodes } from './cli/exit-codes.ts'
import { expectsServer, type LaunchedServer, launchServer } from './cli/launch-server.ts'
import { reportBug } from './cli/report-bug.ts'

/** What this build is, and where its files lie. */
export interface Program {
  readonly version: string
  readonly build: string
  readonly moduleUrl: string
}

/** Everything a command runs with. */
export interface Launch {
  readonly program: Program
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The server, started before anything slow was loaded; null when none seemed needed. */
  readonly early: LaunchedServer | null
}

/** Starts the server first, then loads what the command needs: the two run side by side. */
export async function main(argv: readonly string[], program: Program): Promise<void> {
  const { env } = process
  const home = env['PARLEY_HOME'] ?? join(env['HOME'] ?? homedir(), '.parley')
  process.stdout.on('error', leaveOnClosedPipe)
  process.stderr.on('error', leaveOnClosedPipe)
  const early = expectsServer(argv) ? launchServer({ program, home, env, args: [] }) : null
  try {
    const { runCommandLine } = await import('./cli/command-line.ts')
    await exit(await runCommandLine(argv, { program, home, env, early }))
  } catch (error) {
    const report = reportBug(home, program, error)
    process.stderr.write(`parley: internal error, this is a bug. A report is in ${report}\n`)
    await exit(exitCodes.internal)
  }
}

/** A reader that leaves is a normal end. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok)
}

/** Only after what was written has been taken: leaving earlier loses output when the reader is slow. */
async function exit(code: number): Promise<never> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  )
  process.exit(code)
}
