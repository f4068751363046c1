import type { InputLine } from '@parley/protocol/schema'
import { exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, takesAnswers } from '../cli/flags.ts'
import type { RunEnd } from '../cli/run-ended.ts'
import { withAnswers, withoutAnswers } from './answers/answer-approvals.ts'
import { fromFile } from './answers/answers-file.ts'
import type { TurnParts, Turns } from './follow-turns.ts'
import { createMailbox, type Mailbox, refusalBy } from './mailbox.ts'
import { type Message, messageOf } from './message.ts'
import type { RejectedLine } from './reporter.ts'
import { failureOf } from './run-end.ts'
import { untilStopped } from './run-turn.ts'
import { createLineReader, type LineReader, type ReadLine } from './stdin/input-lines.ts'
import { refuseRest } from './stdin/refuse-rest.ts'
import { StoppedError, unlessStopped } from './stopper.ts'

interface Talk extends TurnParts {
  /** Message of the command line; null if stdin has the first. */
  readonly first: Message | null
  readonly flags: ExecFlags
  readonly stdin: AsyncIterable<Buffer | string>
}

/** Sends the messages of stdin, each in a turn of its own, and answers approvals, until stdin ends and every turn is over. */
export async function converse(talk: Talk): Promise<RunEnd> {
  const { conversation, reporter, flags } = talk
  return untilStopped({ ...talk, keepsQuestions: takesAnswers(flags) }, async (turns) => {
    const faults = new AbortController()
    const mailbox = createMailbox({ conversation, reporter, turns, fail: (fault) => faults.abort(fault) })
    const lines = createLineReader(talk.stdin)
    try {
      return await sendAll({ talk, turns, mailbox, lines }, AbortSignal.any([talk.signal, faults.signal]))
    } catch (error) {
      mailbox.refuseAll(error)
      const reject = (line: RejectedLine) => mailbox.reject(line, false)
      if (!isBySignal(error)) await refuseRest({ lines, reject, failure: refusalBy(error), pace: talk.pace })
      throw error
    }
  })
}

/** Tells if somebody ended the run who wants it over at once. */
function isBySignal(error: unknown): boolean {
  return error instanceof StoppedError && (error.exitCode === exitCodes.sigint || error.exitCode === exitCodes.sigterm)
}

async function sendAll({ talk, turns, mailbox, lines }: SendingParts, signal: AbortSignal): Promise<RunEnd> {
  const over = Promise.withResolvers<void>()
  answerApprovals(talk, over.promise)
  if (talk.first !== null) mailbox.post(talk.first, 0)
  for (let line = await lines.next(signal); line !== null; line = await lines.next(signal)) {
    await takeLine(line, { talk, turns, mailbox })
    if (talk.pace.isBehind) await unlessStopped(talk.pace.drained(), signal)
    await mailbox.room(signal)
  }
  over.resolve()
  return await unlessStopped(mailbox.end(), signal)
}

function answerApprovals({ conversation, flags, given }: Talk, over: Promise<void>): void {
  const otherwise = withoutAnswers(conversation)
  const handler = takesAnswers(flags) ? withAnswers(over, otherwise) : otherwise
  conversation.onApproval(fromFile(given, conversation, handler), { onError: () => undefined })
}

interface TalkParts {
  readonly talk: Talk
  readonly turns: Turns
  readonly mailbox: Mailbox
}

interface SendingParts extends TalkParts {
  readonly lines: LineReader
}

async function takeLine(read: ReadLine, { talk, turns, mailbox }: TalkParts): Promise<void> {
  const { line } = read
  if ('problem' in read) {
    const failure = { code: 'invalidInput', message: read.problem }
    return mailbox.reject({ line, failure }, true)
  }
  const { input } = read
  try {
    if (input.type === 'message') mailbox.post(messageIn(input, talk.flags), line)
    else await act(input, talk, turns)
  } catch (error) {
    mailbox.reject({ line, failure: failureOf(error) }, input.type === 'message')
  }
}

function messageIn(input: InputLine & { type: 'message' }, { outputSchema: file, ...flags }: ExecFlags): Message {
  const { text, images = [], type: _, ...options } = input
  // A turn that runs keeps its schema and its checks.
  const isOwn = options.when !== 'steer'
  const schema = file === undefined || options.outputSchema !== undefined || !isOwn ? {} : { outputSchema: file }
  const { checks, ...message } = messageOf(text, { ...flags, ...schema, image: images })
  return { ...message, ...(checks !== undefined && isOwn ? { checks } : {}), ...options }
}

/** Answers an approval or interrupts the turn. Throws the server's error, for example for an approval that is settled. */
async function act(
  input: Exclude<InputLine, { type: 'message' }>,
  { conversation }: Talk,
  turns: Turns,
): Promise<void> {
  if (input.type === 'answer') {
    const { approvalId, type: _, ...answer } = input
    await conversation.decide(approvalId, answer)
  } else if (turns.current !== null) await conversation.interrupt(turns.current)
}
