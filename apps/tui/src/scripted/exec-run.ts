import type { Conversation, LinkState, Parley } from '@parley/client'
import type { Failure, ServerNotice } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { exitCodeOf, exitCodes, misused } from '../cli/exit-codes.ts'
import { type ExecFlags, outputFormatOf, takesAnswers } from '../cli/flags.ts'
import { type Launch, scriptedArgs } from '../cli/launch-server.ts'
import { safeNotice, sandboxNotice } from '../cli/messages.ts'
import { failedRun, type RunEnd } from '../cli/run-ended.ts'
import { isDiskFull } from '../ui/outside-changes.ts'
import { unseenWords } from '../view/review/unseen-words.ts'
import { type GivenAnswers, readAnswersFile } from './answers/answers-file.ts'
import { converse } from './converse.ts'
import type { TurnParts } from './follow-turns.ts'
import { callerName, type Message, messageOf, readPrompt } from './message.ts'
import { missingPolicy, openTarget, type Target } from './open-target.ts'
import { fileProblem } from './output/output-files.ts'
import type { OutputPace } from './output/run-output.ts'
import type { Reporter } from './reporter.ts'
import { gatheringFindings, goesOnReview, judged, nothingToReview, reviewGoesOn } from './review/judge-findings.ts'
import type { ReviewRequest } from './review/review-message-of.ts'
import { createRunBudget } from './run-budget.ts'
import { failureOf, stoppedRun } from './run-end.ts'
import { runTurn } from './run-turn.ts'
import { StoppedError, type Stopper, unlessStopped } from './stopper.ts'

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

/** Run with what its files hold. */
interface GivenRun extends ExecRun {
  readonly given: GivenAnswers | null
}

/** Runs from the flags to the end of the turn. Failures are ends too; throws only on a bug. */
export async function runToEnd(run: ExecRun): Promise<RunEnd> {
  const { request, stopper } = run
  try {
    const unusable = fileProblem(request.flags)
    if (unusable !== null) return failedRun({ code: 'invalidParams', message: unusable })
    const { answers } = request.flags
    const given = answers === undefined ? null : readAnswersFile(answers)
    if (given !== null && 'problem' in given) return failedRun({ code: 'invalidParams', message: given.problem })
    if (request.review !== undefined) return whenSaved(await runReview(request.review, run), stopper)
    if (request.flags.inputFormat === 'jsonl')
      return whenSaved(await runConnected({ ...run, given }, firstMessage(request)), stopper)
    const prompt = await unlessStopped(promptOf(run), stopper.signal)
    if ('problem' in prompt) return failedRun({ code: 'invalidParams', message: prompt.problem })
    return whenSaved(await runConnected({ ...run, given }, messageOf(prompt.prompt, request.flags)), stopper)
  } catch (error) {
    return error instanceof StoppedError ? stoppedRun(error, null) : failedRun(failureOf(error))
  }
}

/** Returns the end of a run whose server has ended by now: a failure where that could not save everything. */
function whenSaved(end: RunEnd, { signal }: Stopper): RunEnd {
  const reason: unknown = signal.reason
  const isUnsaved = reason instanceof StoppedError && reason.exitCode === exitCodes.storage
  if (end.exitCode !== exitCodes.ok || !isUnsaved) return end
  return { ...end, exitCode: exitCodes.storage, failure: reason.failure }
}

/** Returns the message of the argument where stdin is for further ones; null if stdin has the first. Throws a usage error. */
function firstMessage({ prompt, flags }: ExecRequest): Message | null {
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

/** Runs a review. One without changes ends before a model is asked. */
async function runReview(review: ReviewRequest, run: ExecRun): Promise<RunEnd> {
  const { launch, request, stopper } = run
  const { stdin } = launch.streams
  // Loaded only for this, with what reads the changes.
  const { reviewMessageOf } = await import('./review/review-message-of.ts')
  const asked = await unlessStopped(reviewMessageOf(review, { flags: request.flags, stdin }), stopper.signal)
  if (asked === null) {
    run.reporter.problem('There is nothing to review: no file differs.')
    return nothingToReview
  }
  run.reporter.reviewing?.(asked)
  const unseen = unseenWords(asked.unseen)
  if (unseen !== null) run.reporter.problem(unseen)
  const { reporter, ...report } = gatheringFindings(run.reporter, asked.unseen)
  return judged(await runConnected({ ...run, reporter, given: null }, asked.message), report, review.failOn)
}

async function runConnected(run: GivenRun, message: Message | null): Promise<RunEnd> {
  const { launch, request, reporter, pace, stopper, given } = run
  await using parley = await connectFor(run)
  using _watched = stopWhenLost(parley, stopper)
  if (parley.isSafe) reporter.problem(safeNotice)
  const conversation = await unlessStopped(openTarget(parley, request.target, request.flags), stopper.signal)
  const { summary } = conversation
  reporter.opened?.(summary)
  conversation.onLink((link) => sayLink(link, reporter))
  const sandbox = conversation.attached ? null : await unlessStopped(sandboxNotice(parley, summary), stopper.signal)
  const warnings = [...withoutEffect(request.flags), joinedNotice(conversation), summary.recovered, ...summary.warnings]
  for (const warning of [...warnings, sandbox]) if (warning !== null) reporter.problem(warning)
  const gone = missingPolicy(summary, request.flags)
  if (gone !== null) return failedRun({ code: 'configInvalid', message: gone })
  try {
    const budget = createRunBudget(request.flags)
    const repairs = request.flags.repair === true
    const turns = { conversation, reporter, pace, budget, signal: stopper.signal, given, repairs }
    if (message !== null && request.flags.inputFormat !== 'jsonl') {
      if (message.purpose === undefined && goesOnReview(conversation, request.flags))
        return await runReviewOn(turns, message)
      return await runTurn({ ...turns, message })
    }
    return await converse({ ...turns, first: message, flags: request.flags, stdin: launch.streams.stdin })
  } catch (error) {
    return failedRun(failureOf(error), request.target.kind === 'resume' ? conversation.id : null)
  }
}

/** Goes on with a review that an earlier run did not finish. */
async function runReviewOn(turns: TurnParts, message: Message): Promise<RunEnd> {
  turns.reporter.problem(reviewGoesOn)
  const { reporter, ...report } = gatheringFindings(turns.reporter)
  return judged(await runTurn({ ...turns, reporter, message: { ...message, purpose: 'review' } }), report, 'high')
}

function withoutEffect({ cyberAccessProgram }: ExecFlags): string[] {
  return cyberAccessProgram === undefined ? [] : ['--cyber-access-program has no effect in parley.']
}

function joinedNotice({ attached, serverPid }: Conversation): string | null {
  if (!attached) return null
  const where = serverPid === null ? 'another process' : `process ${serverPid}`
  return `The conversation is open in ${where}; this run joins it there. Approvals are answered there.`
}

function connectFor({ launch, request, reporter, stopper }: ExecRun): Promise<Parley> {
  const { record } = request.flags
  return connect(launch, {
    clientName: callerName(request.flags, launch.env),
    canApprove: takesAnswers(request.flags),
    signal: stopper.signal,
    serverArgs: [...scriptedArgs, ...(record === undefined ? [] : ['--record', record])],
    onNotice: (notice) => takeNotice(notice, reporter, stopper),
  })
}

/** Says that one of several servers is lost, once for each server that is tried. */
function sayLink(link: LinkState, reporter: Reporter): void {
  if (link.kind !== 'lost') return
  const { address, trying, isRejected, why } = link
  const what = isRejected ? `${address} does not accept the token any more` : `Connection to ${address} lost`
  reporter.problem(`${what}, trying ${trying === address ? 'again' : trying} …${why === undefined ? '' : ` (${why})`}`)
}

/** Stops the run on a full disk, because nobody makes room during a script; a stopped run only reports the notice. */
function takeNotice({ code, message: said, errno, passing }: ServerNotice, reporter: Reporter, stopper: Stopper): void {
  const message = isDiskFull(errno) ? `${said} Make room and run it again.` : said
  // A store that servers share elects another leader; nobody has to make room for that.
  const isElecting = passing === true && errno?.startsWith('STORE_') === true && errno !== 'STORE_FULL'
  if (code === 'storageFailed' && !isElecting && !stopper.signal.aborted)
    stopper.stop(new StoppedError(exitCodes.storage, { code, message }))
  else if (code !== 'storageRestored') reporter.problem(message)
}

function stoppedBy(failure: Failure): StoppedError {
  return new StoppedError(exitCodeOf(failure.code), failure)
}

/** Stops the run when the connection is lost before disposal. */
function stopWhenLost({ closed }: Parley, stopper: Stopper): Disposable {
  let isWatching = true
  void closed.then((lost) => {
    if (isWatching && lost !== null) stopper.stop(stoppedBy(failureOf(lost)))
  })
  return {
    [Symbol.dispose]() {
      isWatching = false
    },
  }
}
