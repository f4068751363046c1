import { type ExitCode, exitCodes } from '../cli/exit-codes.ts'
import { outputFormatOf, typedFlags, typedServer } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import { brokenOutputText, failedRun, leaveEndTo, type RunEnd } from '../cli/run-ended.ts'
import { stoppedRun } from './end/run-end.ts'
import { createStopper, limitTime, StoppedError, watchSignals } from './end/stopper.ts'
import { writeAnswer } from './output/output-files.ts'
import { openRunOutput, type RunOutput } from './output/run-output.ts'
import { createCodexReporter } from './reports/codex/codex-reporter.ts'
import {
  createJsonReporter,
  createPlainReporter,
  createResultReporter,
  createSarifReporter,
  type Reporter,
} from './reports/reporter.ts'
import { type ExecRequest, runRequest } from './run-request.ts'

/** Time for the readers to take the last lines of a run that ends at once. */
const shortPatienceMs = 200

/** Runs `parley exec`: one turn without a terminal. Always ends with a terminal event. */
export async function runExec(launch: Launch, request: ExecRequest): Promise<ExitCode> {
  const { flags } = request
  const { streams } = launch
  const stopper = createStopper()
  const output = openRunOutput(stopper, streams)
  const reporter = withOneEnd(reporterFor(request, output, launch))
  const endNow = async (end: RunEnd) => {
    reporter.end(end)
    await Promise.race([output.done(), new Promise((resolve) => setTimeout(resolve, shortPatienceMs).unref())])
  }
  leaveEndTo((failure) => endNow(failedRun(failure)))
  using _signals = watchSignals(stopper, (reason) => {
    void endNow(stoppedRun(reason, null)).finally(() => process.exit(reason.exitCode))
  })
  limitTime(stopper, flags.timeout)
  void output.stdout.broken.then((error) => stopper.stop(whenBroken(error)))
  const end = withFile(await runRequest({ launch, request, reporter, pace: output, stopper }), flags.output)
  reporter.end(end)
  const taken = await Promise.race([output.done(), output.outOfPatience()])
  if (taken instanceof StoppedError) return taken.exitCode
  return taken === null || end.exitCode !== exitCodes.ok ? end.exitCode : reportBroken(taken, reporter)
}

/** Returns a reporter that takes one end only, and no rejected lines after it. */
function withOneEnd(reporter: Reporter): Reporter {
  const { opened, reviewing, event, problem, rejected } = reporter
  let isOver = false
  return {
    opened,
    reviewing,
    event,
    problem,
    rejected: rejected && ((line) => (isOver ? undefined : rejected(line))),
    end(end) {
      if (!isOver) reporter.end(end)
      isOver = true
    },
  }
}

function reporterFor(
  { flags, review }: ExecRequest,
  { stdout, stderr, lastWords }: RunOutput,
  { streams, program }: Launch,
): Reporter {
  if (flags.sarif === true) return createSarifReporter(lastWords, stderr, program.version)
  const { ephemeral, check, checkRounds } = flags
  const format = outputFormatOf(flags)
  if (format === 'json') return createJsonReporter(stdout, stderr)
  if (format === 'result') return createResultReporter(stdout, stderr)
  if (format === 'codex') return createCodexReporter({ stdout, stderr, now: Date.now })
  const onTerminal = { stdout: streams.stdout.isTTY === true, stderr: streams.stderr.isTTY === true }
  const facts = {
    isKept: ephemeral !== true,
    isReview: review !== undefined,
    repeated: typedFlags({ '--check': check, '--check-rounds': checkRounds }),
    server: typedServer(flags),
  }
  return createPlainReporter({ stdout: lastWords, stderr, onTerminal, ...facts, now: Date.now })
}

/** Returns the stop for a broken stdout: a closed pipe is a normal end, a full disk is not. */
function whenBroken(error: NodeJS.ErrnoException): StoppedError {
  if (error.code === 'EPIPE') return new StoppedError(exitCodes.ok)
  return new StoppedError(exitCodes.storage, { code: 'outputFailed', message: brokenOutputText(error) })
}

function reportBroken(error: NodeJS.ErrnoException, reporter: Reporter): ExitCode {
  if (error.code === 'EPIPE') return exitCodes.ok
  reporter.problem(brokenOutputText(error))
  return exitCodes.storage
}

/** Writes the file of `-o`, before the terminal event, which reports a failure. */
function withFile(end: RunEnd, path: string | undefined): RunEnd {
  if (end.exitCode !== exitCodes.ok || end.answer === null || path === undefined) return end
  const message = writeAnswer(path, `${end.answer.trimEnd()}\n`)
  if (message === null) return end
  return { ...end, exitCode: exitCodes.storage, failure: { code: 'outputFailed', message } }
}
