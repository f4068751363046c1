import { existsSync } from 'node:fs'
import type { Conversation, Parley } from '@parley/client'
import type { ConversationSummary, ServerNotice } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, overridesOf } from '../cli/flags.ts'
import { workingFolder } from '../cli/folders.ts'
import { type Launch, scriptedArgs } from '../cli/launch-server.ts'
import { sandboxNotice } from '../cli/messages.ts'
import { isDiskFull } from '../ui/outside-changes.ts'
import { callerName, type Message, messageOf, readPrompt } from './message.ts'
import { fileProblem } from './output.ts'
import type { Reporter } from './reporter.ts'
import { failedRun, failureOf, type RunEnd, StoppedError, type Stopper, stoppedRun, unlessStopped } from './run-end.ts'
import { runTurn } from './run-turn.ts'

/** Conversation that `exec resume` goes on with. */
export type Resumption = { readonly last: true } | { readonly last: false; readonly id: string }

export interface ExecRequest {
  readonly prompt: string | null
  readonly flags: ExecFlags
  readonly resume: Resumption | null
}

interface ExecRun {
  readonly launch: Launch
  readonly request: ExecRequest
  readonly reporter: Reporter
  readonly stopper: Stopper
}

/** Runs from the flags to the end of the turn. Failures are ends too; throws only on a bug. */
export async function runToEnd(run: ExecRun): Promise<RunEnd> {
  const { request, stopper } = run
  try {
    const unusable = fileProblem(request.flags)
    if (unusable !== null) return failedRun({ code: 'invalidParams', message: unusable })
    const prompt = await unlessStopped(promptOf(run), stopper.signal)
    if ('problem' in prompt) return failedRun({ code: 'invalidParams', message: prompt.problem })
    return await runConnected(run, messageOf(prompt.prompt, request.flags))
  } catch (error) {
    return error instanceof StoppedError ? stoppedRun(error, null) : failedRun(failureOf(error))
  }
}

const silenceMs = 1000

async function promptOf({ request, stopper }: ExecRun): ReturnType<typeof readPrompt> {
  const { prompt: argument, flags } = request
  const waiting = setTimeout(() => {
    if (!stopper.signal.aborted) process.stderr.write('parley: Waiting for the prompt on stdin …\n')
  }, silenceMs)
  try {
    return await readPrompt({ argument, appendStdin: flags.stdin === true, stdin: () => process.stdin })
  } finally {
    clearTimeout(waiting)
  }
}

async function runConnected(run: ExecRun, message: Message): Promise<RunEnd> {
  const { request, reporter, stopper } = run
  await using parley = await connectFor(run)
  using _watched = stopWhenLost(parley, stopper)
  const conversation = await unlessStopped(openConversation(parley, request), stopper.signal)
  const { summary } = conversation
  reporter.opened?.(summary)
  const sandbox = await unlessStopped(sandboxNotice(parley, summary), stopper.signal)
  for (const warning of [...withoutEffect(request.flags), summary.recovered, ...summary.warnings, sandbox]) {
    if (warning !== null) reporter.problem(warning)
  }
  const gone = missingPolicy(summary, request.flags)
  if (gone !== null) return failedRun({ code: 'configInvalid', message: gone })
  try {
    return await runTurn({ conversation, message, reporter, signal: stopper.signal })
  } catch (error) {
    return failedRun(failureOf(error), request.resume === null ? null : conversation.id)
  }
}

function withoutEffect({ cyberAccessProgram }: ExecFlags): string[] {
  return cyberAccessProgram === undefined ? [] : ['--cyber-access-program has no effect in parley.']
}

/** Returns a sentence if the conversation's policy file is gone: a run without its rules might do what they deny. */
function missingPolicy({ settings }: ConversationSummary, { policy }: ExecFlags): string | null {
  const { policyFile } = settings
  if (policy !== undefined || policyFile === undefined || existsSync(policyFile)) return null
  return `The policy file of this conversation is gone: ${policyFile}. Give another with --policy.`
}

function connectFor({ launch, request, reporter, stopper }: ExecRun): Promise<Parley> {
  const { record } = request.flags
  return connect(launch, {
    clientName: callerName(request.flags, launch.env),
    signal: stopper.signal,
    serverArgs: [...scriptedArgs, ...(record === undefined ? [] : ['--record', record])],
    onNotice: (notice) => takeNotice(notice, reporter, stopper),
  })
}

/** Stops the run on a full disk, because nobody makes room during a script; a stopped run only reports the notice. */
function takeNotice({ code, message: said, errno }: ServerNotice, reporter: Reporter, stopper: Stopper): void {
  const message = isDiskFull(errno) ? `${said} Make room and run it again.` : said
  if (code === 'storageFailed' && !stopper.signal.aborted)
    stopper.stop(new StoppedError(exitCodes.storage, { code, message }))
  else reporter.problem(message)
}

/** Stops the run when the connection is lost before disposal. */
function stopWhenLost({ closed }: Parley, stopper: Stopper): Disposable {
  let isWatching = true
  void closed.then((lost) => {
    if (isWatching && lost !== null) stopper.stop(new StoppedError(exitCodes.internal, failureOf(lost)))
  })
  return {
    [Symbol.dispose]() {
      isWatching = false
    },
  }
}

/** Opens the conversation here: one that is live in another process is not joined, because its window answers approvals. */
function openConversation(parley: Parley, { flags, resume }: ExecRequest): Promise<Conversation> {
  const overrides = overridesOf(flags)
  const folder = () => overrides.cwd ?? workingFolder()
  if (resume === null) {
    const ephemeral = flags.ephemeral === true ? { ephemeral: true } : {}
    return parley.create({ ...overrides, ...ephemeral, cwd: folder() })
  }
  return parley.resume(resume.last ? { last: true, cwd: folder() } : resume.id, { overrides, join: false })
}
