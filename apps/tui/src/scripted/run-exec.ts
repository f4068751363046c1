import { type ExitCode, exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, outputFormatOf } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import { createCodexReporter } from './codex/codex-reporter.ts'
import { type ExecRequest, runToEnd } from './exec-run.ts'
import { writeAnswer } from './output-file.ts'
import { createPlainReporter } from './plain-reporter.ts'
import { createJsonReporter, type Reporter } from './reporter.ts'
import type { RunEnd } from './run-end.ts'
import { openResultStream, type ResultStream } from './stdout.ts'
import { createStopper, limitTime, Stopped, type Stopper, watchSignals } from './stop.ts'

/** How long a reader has for the last words of a run that was stopped. */
const patienceMs = 3000

/** `parley exec`: one turn without a terminal. Always ends, and always with a terminal event. */
export async function runExec(launch: Launch, request: ExecRequest): Promise<ExitCode> {
  const { flags } = request
  const stdout = openResultStream(1)
  const reporter = reporterFor(flags, stdout)
  const stopper = createStopper()
  using _signals = watchSignals(stopper)
  limitTime(stopper, flags.timeout)
  void stdout.broken.then((error) => stopper.stop(whenBroken(error)))
  const end = withFile(await runToEnd({ launch, request, reporter, stopper }), flags.output)
  reporter.end(end)
  const taken = await Promise.race([stdout.done(), patienceOf(stopper)])
  if (taken instanceof Stopped) return taken.exitCode
  return taken === null || end.exitCode !== exitCodes.ok ? end.exitCode : tellBroken(taken, reporter)
}

/** Who stopped the run does not wait for a reader that does not read; who did not loses nothing. */
function patienceOf({ signal }: Stopper): Promise<Stopped> {
  return new Promise((resolve) => {
    const wait = () => setTimeout(resolve, patienceMs, signal.reason).unref()
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })
}

function reporterFor(flags: ExecFlags, stdout: ResultStream): Reporter {
  const { stderr } = process
  const { ephemeral } = flags
  const format = outputFormatOf(flags)
  if (format === 'json') return createJsonReporter(stdout, stderr)
  if (format === 'codex') return createCodexReporter({ stdout, stderr, now: Date.now })
  const onTerminal = { stdout: process.stdout.isTTY === true, stderr: stderr.isTTY === true }
  return createPlainReporter({ stdout, stderr, onTerminal, isKept: ephemeral !== true, now: Date.now })
}

/** A reader that leaves is a normal end; a disk that is full is not. */
function whenBroken(error: NodeJS.ErrnoException): Stopped {
  if (error.code === 'EPIPE') return new Stopped(exitCodes.ok)
  return new Stopped(exitCodes.storage, { code: 'outputFailed', message: sayBroken(error) })
}

function tellBroken(error: NodeJS.ErrnoException, reporter: Reporter): ExitCode {
  if (error.code === 'EPIPE') return exitCodes.ok
  reporter.problem(sayBroken(error))
  return exitCodes.storage
}

function sayBroken({ message }: NodeJS.ErrnoException): string {
  return `stdout cannot be written to (${message}).`
}

/** `-o`: before the terminal event, which then tells whether it worked. */
function withFile(end: RunEnd, path: string | undefined): RunEnd {
  if (end.exitCode !== exitCodes.ok || end.answer === null || path === undefined) return end
  const message = writeAnswer(path, `${end.answer.trimEnd()}\n`)
  if (message === null) return end
  return { ...end, exitCode: exitCodes.storage, failure: { code: 'outputFailed', message } }
}
