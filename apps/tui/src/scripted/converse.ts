import { addTokens } from '@parley/protocol'
import type { InputLine } from '@parley/protocol/schema'
import { exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, takesAnswers } from '../cli/flags.ts'
import { failedRun, type RunEnd } from '../cli/run-ended.ts'
import { withAnswers, withoutAnswers } from './answer-approvals.ts'
import type { TurnParts, Turns } from './follow-turns.ts'
import { type Message, messageOf } from './message.ts'
import { type RejectedLine, sayRejected } from './reporter.ts'
import { failureOf, turnEnd } from './run-end.ts'
import { untilStopped } from './run-turn.ts'
import { type ReadLine, readLines } from './stdin/input-lines.ts'
import { unlessStopped } from './stopper.ts'

interface Talk extends TurnParts {
  /** Message of the command line; null if stdin has the first. */
  readonly first: Message | null
  readonly flags: ExecFlags
  readonly stdin: AsyncIterable<Buffer | string>
}

/** Sends the messages of stdin, each in a turn of its own, and answers approvals, until stdin ends and every turn is over. */
export async function converse(talk: Talk): Promise<RunEnd> {
  return untilStopped(talk, async (turns) => {
    const faults = new AbortController()
    const mailbox = createMailbox(talk, turns, (fault) => faults.abort(fault))
    const over = Promise.withResolvers<void>()
    answerApprovals(talk, over.promise)
    if (talk.first !== null) mailbox.post(talk.first, 0)
    const signal = AbortSignal.any([talk.signal, faults.signal])
    for await (const line of readLines(talk.stdin, signal)) {
      await takeLine(line, { talk, turns, mailbox })
      if (talk.pace.isBehind) await unlessStopped(talk.pace.drained(), signal)
    }
    over.resolve()
    return await mailbox.end()
  })
}

function answerApprovals({ conversation, flags }: Talk, over: Promise<void>): void {
  const otherwise = withoutAnswers(conversation)
  const handler = takesAnswers(flags) ? withAnswers(over, otherwise) : otherwise
  conversation.onApproval(handler, { onError: () => undefined })
}

interface Mailbox {
  /** Sends the message when the turns before it are over, or into the one that runs. `line` is 0 for the command line. */
  post(message: Message, line: number): void
  /** Takes note of a line without effect. `isMistake`: the line itself is wrong, which the run ends with. */
  reject(rejected: RejectedLine, isMistake: boolean): void
  /** Resolves when every message has been answered. */
  end(): Promise<RunEnd>
}

function createMailbox(talk: Talk, turns: Turns, fail: (fault: unknown) => void): Mailbox {
  const { conversation, reporter } = talk
  const ends: RunEnd[] = []
  const steered: Promise<void>[] = []
  let mistake: RejectedLine | null = null
  let working = Promise.resolve()

  function reject(rejected: RejectedLine, isMistake: boolean): void {
    if (isMistake) mistake ??= rejected
    if (reporter.rejected === undefined) reporter.problem(sayRejected(rejected))
    else reporter.rejected(rejected)
  }

  /** Sends a message. One that the server rejects is a line without effect, except for that of the command line. */
  async function send(message: Message, line: number): Promise<void> {
    const how = message.when === 'steer' && turns.current !== null ? turns.steer : turns.ask
    try {
      const ended = await how({ when: 'queue', ...message })
      if (ended !== null) ends.push(turnEnd(ended, conversation.id))
    } catch (error) {
      if (line === 0) throw error
      reject({ line, failure: failureOf(error) }, true)
    }
  }

  return {
    reject,
    post(message, line) {
      if (message.when === 'steer' && turns.current !== null) steered.push(send(message, line).catch(fail))
      else working = working.then(() => send(message, line)).catch(fail)
    },
    async end() {
      await working
      await Promise.all(steered)
      return endOfTalk(ends, mistake)
    },
  }
}

/** Returns the end of the last turn, with the tokens and denials of all. A line that is wrong spoils a good end. */
function endOfTalk(ends: readonly RunEnd[], mistake: RejectedLine | null): RunEnd {
  const failure = mistake === null ? null : { code: 'invalidInput', message: sayRejected(mistake) }
  const last = ends.at(-1)
  if (last === undefined)
    return failedRun(failure ?? { code: 'invalidInput', message: 'stdin ended before a message came.' })
  const counts = ends.flatMap(({ usage }) => (usage === null ? [] : [usage]))
  const whole = { ...last, usage: counts.reduce(addTokens), denials: ends.flatMap(({ denials }) => denials) }
  return failure === null || last.exitCode !== exitCodes.ok ? whole : { ...whole, exitCode: exitCodes.usage, failure }
}

interface TalkParts {
  readonly talk: Talk
  readonly turns: Turns
  readonly mailbox: Mailbox
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
  const schema = file === undefined || options.outputSchema !== undefined ? {} : { outputSchema: file }
  return { ...messageOf(text, { ...flags, ...schema, image: images }), ...options }
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
