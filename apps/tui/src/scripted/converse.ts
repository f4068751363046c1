import type { InputLine } from '@parley/protocol/schema'
import { exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, takesAnswers } from '../cli/flags.ts'
import type { RunEnd } from '../cli/run-ended.ts'
import { withAnswers, withoutAnswers } from './answers/answer-approvals.ts'
import { fromFile } from './answers/answers-file.ts'
import { failureOf } from './end/run-end.ts'
import { StoppedError, unlessStopped } from './end/stopper.ts'
import type { ConversationRun, Turns } from './follow-turns.ts'
import { createLineReader, type LineReader, type ReadLine, rejectRest } from './input/input-lines.ts'
import { messageOf, type TurnMessage } from './input/message.ts'
import { createMailbox, failureFor, type Mailbox } from './mailbox.ts'
import type { RejectedLine } from './reports/reporter.ts'
import { untilStopped } from './run-turn.ts'

/** Lines of stdin with messages and answers, and the flags that they complete. */
interface StdinMessages {
  /** Message of the command line; null if stdin has the first. */
  readonly first: TurnMessage | null
  readonly flags: ExecFlags
  readonly stdin: AsyncIterable<Buffer | string>
}

/** Sends the messages of stdin, each in a turn of its own, and answers approvals, until stdin ends and every turn is over. */
export async function converse(run: ConversationRun, messages: StdinMessages): Promise<RunEnd> {
  const { conversation, reporter } = run
  return untilStopped(run, async (turns) => {
    const faults = new AbortController()
    const mailbox = createMailbox({ conversation, reporter, turns, fail: (fault) => faults.abort(fault) })
    const lines = createLineReader(messages.stdin)
    try {
      return await sendAll({ run, messages, turns, mailbox, lines }, AbortSignal.any([run.signal, faults.signal]))
    } catch (error) {
      mailbox.rejectAll(error)
      const reject = (line: RejectedLine) => mailbox.reject(line, false)
      if (!isBySignal(error)) await rejectRest({ lines, reject, failure: failureFor(error), pace: run.pace })
      throw error
    }
  })
}

/** Returns true if a signal ended the run: then it is over at once. */
function isBySignal(error: unknown): boolean {
  return error instanceof StoppedError && (error.exitCode === exitCodes.sigint || error.exitCode === exitCodes.sigterm)
}

interface StdinLoop {
  readonly run: ConversationRun
  readonly messages: StdinMessages
  readonly turns: Turns
  readonly mailbox: Mailbox
  readonly lines: LineReader
}

async function sendAll(loop: StdinLoop, signal: AbortSignal): Promise<RunEnd> {
  const { run, messages, mailbox, lines } = loop
  const over = Promise.withResolvers<void>()
  answerApprovals(loop, over.promise)
  if (messages.first !== null) mailbox.post(messages.first, 0)
  for (let line = await lines.next(signal); line !== null; line = await lines.next(signal)) {
    await takeLine(line, loop)
    if (run.pace.isBehind) await unlessStopped(run.pace.drained(), signal)
    await mailbox.room(signal)
  }
  over.resolve()
  return await unlessStopped(mailbox.end(), signal)
}

function answerApprovals({ run, messages }: StdinLoop, over: Promise<void>): void {
  const { conversation, given } = run
  const otherwise = withoutAnswers(conversation)
  const handler = takesAnswers(messages.flags) ? withAnswers(over, otherwise) : otherwise
  conversation.onApproval(fromFile(given, conversation, handler), { onError: () => undefined })
}

async function takeLine(read: ReadLine, { run, messages, turns, mailbox }: StdinLoop): Promise<void> {
  const { line } = read
  if ('problem' in read) {
    const failure = { code: 'invalidInput', message: read.problem }
    return mailbox.reject({ line, failure }, true)
  }
  const { input } = read
  try {
    if (input.type === 'message') mailbox.post(messageIn(input, messages.flags), line)
    else await answerOrInterrupt(input, run, turns)
  } catch (error) {
    mailbox.reject({ line, failure: failureOf(error) }, input.type === 'message')
  }
}

function messageIn(input: InputLine & { type: 'message' }, { outputSchema: file, ...flags }: ExecFlags): TurnMessage {
  const { text, images = [], type: _, ...options } = input
  // A running turn keeps its schema and its checks.
  const isOwn = options.when !== 'steer'
  const schema = file === undefined || options.outputSchema !== undefined || !isOwn ? {} : { outputSchema: file }
  const { checks, ...message } = messageOf(text, { ...flags, ...schema, image: images })
  return { ...message, ...(checks !== undefined && isOwn ? { checks } : {}), ...options }
}

/** Answers an approval or interrupts the turn. Throws the server's error, for example for an approval that is settled. */
async function answerOrInterrupt(
  input: Exclude<InputLine, { type: 'message' }>,
  { conversation }: ConversationRun,
  turns: Turns,
): Promise<void> {
  if (input.type === 'answer') {
    const { approvalId, type: _, ...answer } = input
    await conversation.decide(approvalId, answer)
  } else if (turns.current !== null) await conversation.interrupt(turns.current)
}
