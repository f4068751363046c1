import { exitCodes, misused } from '../cli/exit-codes.ts'
import { type ExecFlags, outputFormatOf, takesAnswers } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import { safeNotice, sandboxNotice } from '../cli/messages.ts'
import { failedRun, type RunEnd } from '../cli/run-ended.ts'
import { type GivenAnswers, readAnswersFile } from './answers/answers-file.ts'
import { connectRun, joinedNotice, reportLink, stopWhenLost } from './connect-run.ts'
import { converse } from './converse.ts'
import { failureOf, stoppedRun } from './end/run-end.ts'
import { StoppedError, type Stopper, unlessStopped } from './end/stopper.ts'
import type { ConversationRun } from './follow-turns.ts'
import { messageOf, readPrompt, type TurnMessage } from './input/message.ts'
import { missingPolicy, openTarget, type Target } from './open-target.ts'
import { fileProblem } from './output/output-files.ts'
import type { OutputPace } from './output/run-output.ts'
import type { Reporter } from './reports/reporter.ts'
import {
  continuesReview,
  createFindingsReporter,
  judgedEnd,
  nothingToReview,
  reportUnseen,
  reviewContinues,
} from './review/judge-findings.ts'
import type { ReviewRequest } from './review/review-message-of.ts'
import { createRunBudget } from './run-budget.ts'
import { runTurn } from './run-turn.ts'

export interface ExecRequest {
  readonly prompt: string | null
  readonly flags: ExecFlags
  readonly target: Target
  /** Present for a review, which has its own message. */
  readonly review?: ReviewRequest
}

interface ExecRun {
  readonly launch: Launch
  readonly request: ExecRequest
  readonly reporter: Reporter
  readonly pace: OutputPace
  readonly stopper: Stopper
}

/** Runs a request from its flags to the end of its turns. Failures are ends too; throws only on a bug. */
export async function runRequest(run: ExecRun): Promise<RunEnd> {
  const { request, stopper } = run
  try {
    const unusable = fileProblem(request.flags)
    if (unusable !== null) return failedRun({ code: 'invalidParams', message: unusable })
    const { answers } = request.flags
    const given = answers === undefined ? null : readAnswersFile(answers)
    if (given !== null && 'problem' in given) return failedRun({ code: 'invalidParams', message: given.problem })
    if (request.review !== undefined) return unlessUnsaved(await runReview(request.review, run), stopper)
    if (request.flags.inputFormat === 'jsonl')
      return unlessUnsaved(await runConnected(run, firstMessage(request), { given }), stopper)
    const prompt = await unlessStopped(promptOf(run), stopper.signal)
    if ('problem' in prompt) return failedRun({ code: 'invalidParams', message: prompt.problem })
    return unlessUnsaved(await runConnected(run, messageOf(prompt.prompt, request.flags), { given }), stopper)
  } catch (error) {
    return error instanceof StoppedError ? stoppedRun(error, null) : failedRun(failureOf(error))
  }
}

/** Returns the end of a run; a failure if its server, which has ended by now, could not save everything. */
function unlessUnsaved(end: RunEnd, { signal }: Stopper): RunEnd {
  const reason: unknown = signal.reason
  const isUnsaved = reason instanceof StoppedError && reason.exitCode === exitCodes.storage
  if (end.exitCode !== exitCodes.ok || !isUnsaved) return end
  return { ...end, exitCode: exitCodes.storage, failure: reason.failure }
}

/** Returns the message of the argument where stdin has the further ones; null if stdin has the first. Throws a usage error. */
function firstMessage({ prompt, flags }: ExecRequest): TurnMessage | null {
  if (flags.stdin === true || prompt === '-')
    throw misused('With --input-format jsonl stdin is for messages and answers: leave out --stdin and -.')
  if (outputFormatOf(flags) === 'codex')
    throw misused('The lines of the Codex SDK are those of one turn: leave out --input-format jsonl.')
  if (prompt === null && flags.image !== undefined)
    throw misused('An image needs a prompt that goes with it: give one as an argument, or name the image in a message.')
  if (prompt?.trim() === '') throw misused('The prompt is empty.')
  return prompt === null ? null : messageOf(prompt, flags)
}

const silenceMs = 1000

async function promptOf({ launch, request, stopper }: ExecRun): ReturnType<typeof readPrompt> {
  const { prompt: argument, flags } = request
  const waiting = setTimeout(() => {
    if (!stopper.signal.aborted) launch.streams.stderr.write('parley: Waiting for the prompt on stdin …\n')
  }, silenceMs)
  try {
    return await readPrompt({ argument, appendStdin: flags.stdin === true, stdin: () => launch.streams.stdin })
  } finally {
    clearTimeout(waiting)
  }
}

/** Runs a review. Ends before a model is asked if nothing has changed. */
async function runReview(review: ReviewRequest, run: ExecRun): Promise<RunEnd> {
  const { launch, request, stopper } = run
  const { stdin } = launch.streams
  // Loaded only here, because it loads the code that reads changes.
  const { reviewMessageOf } = await import('./review/review-message-of.ts')
  const asked = await unlessStopped(reviewMessageOf(review, { flags: request.flags, stdin }), stopper.signal)
  if (asked === null) {
    run.reporter.problem('There is nothing to review: no file differs.')
    return nothingToReview
  }
  run.reporter.reviewing?.(asked)
  reportUnseen(run.reporter, asked.unseen)
  const { reporter, ...report } = createFindingsReporter(run.reporter, asked.unseen)
  return judgedEnd(await runConnected(run, asked.message, { reporter }), report, review.failOn)
}

interface RunOptions {
  /** Answers of a file. Default: null. */
  readonly given?: GivenAnswers | null
  /** Default: the reporter of the run. */
  readonly reporter?: Reporter
}

/** Runs in the conversation of the request; without a message stdin has the first. */
async function runConnected(
  run: ExecRun,
  message: TurnMessage | null,
  { given = null, reporter = run.reporter }: RunOptions,
): Promise<RunEnd> {
  const { launch, request, pace, stopper } = run
  await using parley = await connectRun(launch, request.flags, { reporter, stopper })
  using _watched = stopWhenLost(parley, stopper)
  if (parley.isSafe) reporter.problem(safeNotice)
  const conversation = await unlessStopped(openTarget(parley, request.target, request.flags), stopper.signal)
  const { summary } = conversation
  reporter.opened?.(summary)
  conversation.onLink((link) => reportLink(link, reporter))
  const sandbox = conversation.attached ? null : await unlessStopped(sandboxNotice(parley, summary), stopper.signal)
  const warnings = [...withoutEffect(request.flags), joinedNotice(conversation), summary.recovered, ...summary.warnings]
  for (const warning of [...warnings, sandbox]) if (warning !== null) reporter.problem(warning)
  const gone = missingPolicy(summary, request.flags)
  if (gone !== null) return failedRun({ code: 'configInvalid', message: gone })
  try {
    const budget = createRunBudget(request.flags)
    const repairs = request.flags.repair === true
    const keepsQuestions = takesAnswers(request.flags)
    const conversationRun = {
      conversation,
      reporter,
      pace,
      budget,
      signal: stopper.signal,
      given,
      repairs,
      keepsQuestions,
    }
    if (message !== null && request.flags.inputFormat !== 'jsonl') {
      if (message.purpose === undefined && continuesReview(conversation, request.flags))
        return await continueReview(conversationRun, message)
      return await runTurn(conversationRun, message)
    }
    return await converse(conversationRun, { first: message, flags: request.flags, stdin: launch.streams.stdin })
  } catch (error) {
    return failedRun(failureOf(error), request.target.kind === 'resume' ? conversation.id : null)
  }
}

/** Continues a review that an earlier run did not finish. */
async function continueReview(run: ConversationRun, message: TurnMessage): Promise<RunEnd> {
  run.reporter.problem(reviewContinues)
  const { reporter, ...report } = createFindingsReporter(run.reporter)
  const { conversation, pace, budget, signal, given, repairs = false } = run
  const reviewRun = { conversation, reporter, pace, budget, signal, given, repairs }
  return judgedEnd(await runTurn(reviewRun, { ...message, purpose: 'review' }), report, 'high')
}

function withoutEffect({ cyberAccessProgram }: ExecFlags): string[] {
  return cyberAccessProgram === undefined ? [] : ['--cyber-access-program has no effect in parley.']
}
