import { existsSync } from 'node:fs'
import type { ConversationSummary, Failure, ServerNotice } from '@parley/protocol'
import { ConnectionClosedError, RpcError } from '@parley/rpc'
import { type Connection, connect, whyItEnded } from '../cli/connect.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, overridesOf } from '../cli/flags.ts'
import { scriptedArgs } from '../cli/launch-server.ts'
import { explainRejection } from '../cli/messages.ts'
import { ParleyError } from '../cli/parley-error.ts'
import { tellOfSandbox } from '../cli/tell-of-sandbox.ts'
import { workingFolder } from '../cli/working-folder.ts'
import type { Launch } from '../main.ts'
import { isDiskFull } from '../ui/storage-trouble.ts'
import { callerName } from './caller-name.ts'
import { type Message, messageOf } from './message.ts'
import { fileProblem } from './output-file.ts'
import { readPrompt } from './prompt.ts'
import type { Reporter } from './reporter.ts'
import { failedRun, type RunEnd, stoppedRun } from './run-end.ts'
import { runTurn } from './run-turn.ts'
import { Stopped, type Stopper, unlessStopped } from './stop.ts'

export type Resumption = { readonly last: true } | { readonly last: false; readonly id: string }

export interface ExecRequest {
  readonly prompt: string | null
  readonly flags: ExecFlags
  readonly resume: Resumption | null
}

export interface ExecRun {
  readonly launch: Launch
  readonly request: ExecRequest
  readonly reporter: Reporter
  readonly stopper: Stopper
}

/** From the flags to the end of the turn. Whatever goes wrong on the way is an end too; only a bug is thrown. */
export async function runToEnd(run: ExecRun): Promise<RunEnd> {
  const { request, stopper } = run
  try {
    const unusable = fileProblem(request.flags)
    if (unusable !== null) return failedRun({ code: 'invalidParams', message: unusable })
    const prompt = await unlessStopped(promptOf(run), stopper.signal)
    if ('problem' in prompt) return failedRun({ code: 'invalidParams', message: prompt.problem })
    return await runConnected(run, messageOf(prompt.prompt, request.flags))
  } catch (error) {
    return error instanceof Stopped ? stoppedRun(error, null) : failedRun(failureOf(error))
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
  await using connection = await connectFor(run)
  using _watched = stopWhenLost(connection, stopper)
  const conversation = await unlessStopped(openConversation(connection, request), stopper.signal)
  reporter.opened?.(conversation)
  const sandbox = await unlessStopped(tellOfSandbox(connection.client, conversation), stopper.signal)
  for (const warning of [...withoutEffect(request.flags), conversation.recovered, ...conversation.warnings, sandbox]) {
    if (warning !== null) reporter.problem(warning)
  }
  const gone = missingPolicy(conversation, request.flags)
  if (gone !== null) return failedRun({ code: 'configInvalid', message: gone })
  const { client, server } = connection
  try {
    return await runTurn({ client, conversation, message, reporter, signal: stopper.signal })
  } catch (error) {
    const failure = failureOf(error instanceof ConnectionClosedError ? await whyItEnded(server) : error)
    return failedRun(failure, request.resume === null ? null : conversation.conversationId)
  }
}

function withoutEffect({ cyberAccessProgram }: ExecFlags): string[] {
  return cyberAccessProgram === undefined ? [] : ['--cyber-access-program has no effect in parley.']
}

/** Without its rules a run might do what they forbid. */
function missingPolicy({ settings }: ConversationSummary, { policy }: ExecFlags): string | null {
  const { policyFile } = settings
  if (policy !== undefined || policyFile === undefined || existsSync(policyFile)) return null
  return `The policy file of this conversation is gone: ${policyFile}. Give another with --policy.`
}

function connectFor({ launch, request, reporter, stopper }: ExecRun): Promise<Connection> {
  const { record } = request.flags
  return connect(launch, {
    canApprove: false,
    clientName: callerName(request.flags, launch.env),
    signal: stopper.signal,
    serverArgs: [...scriptedArgs, ...(record === undefined ? [] : ['--record', record])],
    onNotice: (notice) => takeNotice(notice, reporter, stopper),
  })
}

/** The server goes on trying to save; nobody is there to make room, so a script ends. One that ends already says it. */
function takeNotice({ code, message: said, errno }: ServerNotice, reporter: Reporter, stopper: Stopper): void {
  const message = isDiskFull(errno) ? `${said} Make room and run it again.` : said
  if (code === 'storageFailed' && !stopper.signal.aborted)
    stopper.stop(new Stopped(exitCodes.storage, { code, message }))
  else reporter.problem(message)
}

/** Until it is disposed of: afterwards we are the ones who leave. */
function stopWhenLost({ client, server }: Connection, stopper: Stopper): Disposable {
  let isWatching = true
  const watch = async () => {
    await client.closed
    if (!isWatching) return
    stopper.stop(new Stopped(exitCodes.internal, failureOf(await whyItEnded(server))))
  }
  void watch()
  return {
    [Symbol.dispose]() {
      isWatching = false
    },
  }
}

function openConversation({ client }: Connection, { flags, resume }: ExecRequest): Promise<ConversationSummary> {
  const overrides = overridesOf(flags)
  const folder = () => overrides.cwd ?? workingFolder()
  if (resume === null) {
    const ephemeral = flags.ephemeral === true ? { ephemeral: true } : {}
    return client.request('conversation/create', { ...overrides, ...ephemeral, cwd: folder() })
  }
  if (!resume.last) return client.request('conversation/resume', { prefix: resume.id, overrides })
  return client.request('conversation/resume', { last: true, cwd: folder(), overrides })
}

function failureOf(error: unknown): Failure {
  if (error instanceof RpcError) return { code: error.data?.code ?? 'internal', message: explainRejection(error) }
  if (error instanceof ParleyError) return { code: error.code, message: error.message }
  throw error
}
