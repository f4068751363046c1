import type { ConversationSummary, Failure } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { type Connection, connect } from '../cli/connect.ts'
import { type ExitCode, exitCodeOf, exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, overridesOf } from '../cli/flags.ts'
import type { Launch } from '../main.ts'
import { createJsonReporter } from './json-reporter.ts'
import { createPlainReporter } from './plain-reporter.ts'
import { readPrompt } from './prompt.ts'
import type { Reporter, RunEnd } from './reporter.ts'
import { runTurn } from './run-turn.ts'
import { watchSignals } from './signals.ts'
import { openResultStream } from './stdout.ts'
import { writeAnswer } from './write-answer.ts'

export interface ExecRequest {
  readonly prompt: string | null
  readonly flags: ExecFlags
  readonly resume: { readonly id: string | null; readonly last: boolean } | null
}

/** `parley exec`: one turn without a terminal. Always ends, and always with a terminal event. */
export async function runExec(launch: Launch, request: ExecRequest): Promise<ExitCode> {
  const { flags } = request
  const stdout = openResultStream(1)
  const reporter = flags.json === true ? createJsonReporter(stdout) : createPlainReporter(stdout, process.stderr)
  using signals = watchSignals()
  const end = await runToEnd(launch, request, { reporter, stop: signals.stop, readerLeft: stdout.readerLeft })
  reporter.end(end)
  if (end.exitCode === exitCodes.ok && flags.output !== undefined) {
    const failure = writeAnswer(flags.output, end.answer ?? '')
    if (failure !== null) reporter.problem(failure)
  }
  await stdout.done()
  return end.exitCode
}

interface Watching {
  readonly reporter: Reporter
  /** Settles with the code of the reason to stop. */
  readonly stop: Promise<ExitCode>
  readonly readerLeft: Promise<void>
}

async function runToEnd(
  launch: Launch,
  request: ExecRequest,
  { reporter, stop, readerLeft }: Watching,
): Promise<RunEnd> {
  const { flags } = request
  const timedOut = timeLimit(flags.timeout)
  const prompt = await Promise.race([
    readPrompt({ argument: request.prompt, appendStdin: flags.stdin === true, stdin: process.stdin }),
    stop.then((code) => ({ code })),
    timedOut.then((code) => ({ code })),
  ])
  if ('code' in prompt) return stopped(prompt.code)
  if ('problem' in prompt) return failedRun({ code: 'invalidParams', message: prompt.problem })
  let connection: Connection | null = null
  try {
    connection = await connect(launch, {
      canApprove: false,
      clientName: 'parley-exec',
      onNotice: (notice) => reporter.problem(notice.message),
      ...(flags.record === undefined ? {} : { serverArgs: ['--record', flags.record] }),
    })
    const conversation = await openConversation(connection, request)
    for (const warning of [conversation.recovered, ...conversation.warnings])
      if (warning !== null) reporter.problem(warning)
    const leaves = [stop, timedOut, readerLeft.then(() => exitCodes.ok)]
    return await runTurn({
      client: connection.client,
      conversation,
      prompt: prompt.prompt,
      reporter,
      leave: Promise.race(leaves),
    })
  } catch (error) {
    return failedRun(failureOf(error))
  } finally {
    await connection?.[Symbol.asyncDispose]()
  }
}

function openConversation({ client }: Connection, { flags, resume }: ExecRequest): Promise<ConversationSummary> {
  const cwd = flags.cd ?? process.cwd()
  const overrides = overridesOf(flags)
  if (resume === null) {
    return client.request('conversation/create', {
      ...overrides,
      cwd,
      ...(flags.ephemeral === true ? { ephemeral: true } : {}),
    })
  }
  if (resume.last) return client.request('conversation/resume', { last: true, cwd, overrides })
  return client.request('conversation/resume', { prefix: resume.id ?? '', overrides })
}

function timeLimit(timeoutMs: number | undefined): Promise<ExitCode> {
  if (timeoutMs === undefined) return new Promise(() => undefined)
  return new Promise((resolve) => setTimeout(resolve, timeoutMs, exitCodes.budget).unref())
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof RpcError)) throw error
  return { code: error.data?.code ?? 'internal', message: error.message }
}

export function failedRun(failure: Failure): RunEnd {
  return {
    exitCode: exitCodeOf(failure.code),
    conversationId: null,
    outcome: null,
    answer: null,
    failure,
    denials: [],
    usage: null,
  }
}

function stopped(exitCode: ExitCode): RunEnd {
  const failure = { code: 'stopped', message: 'Stopped before anything was sent.' }
  return { exitCode, conversationId: null, outcome: null, answer: null, failure, denials: [], usage: null }
}
