import { type ExitCode, exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, outputFormatOf } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import { failedRun, leaveEndTo, type RunEnd } from '../cli/run-ended.ts'
import { createCodexReporter } from './codex/codex-reporter.ts'
import { type ExecRequest, runToEnd } from './exec-run.ts'
import { writeAnswer } from './output/output-files.ts'
import { openRunOutput, type RunOutput } from './output/run-output.ts'
import { createJsonReporter, createPlainReporter, createResultReporter, type Reporter } from './reporter.ts'
import { stoppedRun } from './run-end.ts'
import { createStopper, limitTime, StoppedError, watchSignals } from './stopper.ts'

/** Time for the readers to take the last lines of a run that ends at once. */
const shortPatienceMs = 200

/** Runs `parley exec`: one turn without a terminal. Always ends with a terminal event. */
export async function runExec(launch: Launch, request: ExecRequest): Promise<ExitCode> {
  const { flags } = request
  const stopper = createStopper()
  const output = openRunOutput(stopper)
  const reporter = reporterFor(flags, output)
  const endNow = async (end: RunEnd) => {
    reportOnce(end)
    await Promise.race([output.done(), new Promise((resolve) => setTimeout(resolve, shortPatienceMs).unref())])
  }
  const reportOnce = once(reporter.end)
  leaveEndTo((failure) => endNow(failedRun(failure)))
  using _signals = watchSignals(stopper, (reason) => {
    void endNow(stoppedRun(reason, null)).finally(() => process.exit(reason.exitCode))
  })
  limitTime(stopper, flags.timeout)
  void output.stdout.broken.then((error) => stopper.stop(whenBroken(error)))
  const end = withFile(await runToEnd({ launch, request, reporter, pace: output, stopper }), flags.output)
  reportOnce(end)
  const taken = await Promise.race([output.done(), output.outOfPatience()])
  if (taken instanceof StoppedError) return taken.exitCode
  return taken === null || end.exitCode !== exitCodes.ok ? end.exitCode : reportBroken(taken, reporter)
}

function once(report: (end: RunEnd) => void): (end: RunEnd) => void {
  let isOver = false
  return (end) => {
    if (!isOver) report(end)
    isOver = true
  }
}

function reporterFor(flags: ExecFlags, { stdout, stderr, lastWords }: RunOutput): Reporter {
  const { ephemeral } = flags
  const format = outputFormatOf(flags)
  if (format === 'json') return createJsonReporter(stdout, stderr)
  if (format === 'result') return createResultReporter(stdout, stderr)
  if (format === 'codex') return createCodexReporter({ stdout, stderr, now: Date.now })
  const onTerminal = { stdout: process.stdout.isTTY === true, stderr: process.stderr.isTTY === true }
  return createPlainReporter({ stdout: lastWords, stderr, onTerminal, isKept: ephemeral !== true, now: Date.now })
}

/** Returns the stop for a broken stdout: a closed pipe is a normal end, a full disk is not. */
function whenBroken(error: NodeJS.ErrnoException): StoppedError {
  if (error.code === 'EPIPE') return new StoppedError(exitCodes.ok)
  return new StoppedError(exitCodes.storage, { code: 'outputFailed', message: sayBroken(error) })
}

function reportBroken(error: NodeJS.ErrnoException, reporter: Reporter): ExitCode {
  if (error.code === 'EPIPE') return exitCodes.ok
  reporter.problem(sayBroken(error))
  return exitCodes.storage
}

function sayBroken({ message }: NodeJS.ErrnoException): string {
  // The message ends with the name of the function that failed.
  return `stdout cannot be written to (${message.replace(/, write$/, '')}).`
}

/** Writes the file of `-o`, before the terminal event, which reports a failure. */
function withFile(end: RunEnd, path: string | undefined): RunEnd {
  if (end.exitCode !== exitCodes.ok || end.answer === null || path === undefined) return end
  const message = writeAnswer(path, `${end.answer.trimEnd()}\n`)
  if (message === null) return end
  return { ...end, exitCode: exitCodes.storage, failure: { code: 'outputFailed', message } }
}
