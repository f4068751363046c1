import type { Conversation } from '@parley/client'
import { addTokens, type Failure, unansweredApprovals } from '@parley/protocol'
import { exitCodes } from '../cli/exit-codes.ts'
import { failedRun, type RunEnd } from '../cli/run-ended.ts'
import type { Turns } from './follow-turns.ts'
import type { Message } from './message.ts'
import { type RejectedLine, type Reporter, sayRejected } from './reporter.ts'
import { type EndedTurn, failureOf, turnEnd } from './run-end.ts'
import { StoppedError, unlessStopped } from './stopper.ts'

/** Messages of a run that wait for the turns before them. */
export interface Mailbox {
  /** Sends the message when the turns before it are over, or into the one that runs. `line` is 0 for the command line. */
  post(message: Message, line: number): void
  /** Takes note of a line without effect. `isMistake`: the line itself is wrong, which the run ends with. */
  reject(rejected: RejectedLine, isMistake: boolean): void
  /** Resolves when another line may be read: not too much waits, or an open question waits for its answer from stdin. */
  room(signal: AbortSignal): Promise<void>
  /** Resolves when every message has been answered. */
  end(): Promise<RunEnd>
  /** Rejects every message that waits, after the run was stopped. */
  refuseAll(reason: unknown): void
}

interface MailboxParts {
  readonly conversation: Conversation
  readonly reporter: Reporter
  readonly turns: Turns
  /** Takes the failure of a message that no line of stdin has. */
  readonly fail: (fault: unknown) => void
}

/**
 * Most characters that wait before stdin is no longer read, and most while a question has it read on. An interrupt may
 * come behind messages, so these are bounded by memory alone.
 */
const waitingLimits = { pause: 64 * 1024 * 1024, refuse: 128 * 1024 * 1024 }
/** Characters that a message counts besides its text. */
const messageCharacters = 1024

export function createMailbox({ conversation, reporter, turns, fail }: MailboxParts): Mailbox {
  const ends: RunEnd[] = []
  const steered: Promise<void>[] = []
  /** Sizes of the messages that wait, by their lines. */
  const waiting = new Map<number, number>()
  let waitingCharacters = 0
  let mistake: RejectedLine | null = null
  let changed = Promise.withResolvers<void>()
  let working: Promise<void> = turns.earlier === null ? Promise.resolve() : turns.earlier.then(keep).catch(fail)
  conversation.subscribe(wake)

  function wake(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  function keep(ended: EndedTurn): void {
    ends.push(turnEnd(ended, conversation.id))
  }

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
      if (ended !== null) keep(ended)
    } catch (error) {
      const isStopped = error instanceof StoppedError
      // The message has begun a turn, which ends with the run.
      if (isStopped && turns.current !== null) return
      if (line === 0) throw error
      reject({ line, failure: refusalBy(error) }, !isStopped)
    }
  }

  async function sendInTurn(message: Message, line: number): Promise<void> {
    // The run was stopped, and the line refused.
    if (!waiting.has(line)) return
    waitingCharacters -= waiting.get(line) ?? 0
    waiting.delete(line)
    wake()
    await send(message, line)
  }

  return {
    reject,
    post(message, line) {
      if (message.when === 'steer' && turns.current !== null) {
        steered.push(send(message, line).catch(fail))
        return
      }
      if (waitingCharacters >= waitingLimits.refuse) return reject({ line, failure: tooMany }, true)
      const size = sizeOf(message)
      waiting.set(line, size)
      waitingCharacters += size
      working = working.then(() => sendInTurn(message, line)).catch(fail)
    },
    async room(signal) {
      while (waitingCharacters >= waitingLimits.pause && !hasQuestion(conversation))
        await unlessStopped(changed.promise, signal)
    },
    async end() {
      await working
      await Promise.all(steered)
      return endOfTalk(ends, mistake)
    },
    refuseAll(reason) {
      const failure = refusalBy(reason)
      for (const line of waiting.keys()) if (line > 0) reject({ line, failure }, false)
      waiting.clear()
      waitingCharacters = 0
    },
  }
}

/** Returns the failure of a line that came to nothing, also by the end of the run. */
export function refusalBy(reason: unknown): Failure {
  if (!(reason instanceof StoppedError)) return failureOf(reason)
  return reason.failure ?? { code: 'stopped', message: reason.message }
}

const tooMany = { code: 'inboxFull', message: 'Too many messages wait already. Send it after their turns have ended.' }

function sizeOf({ input }: Message): number {
  return input.reduce(
    (sum, part) => sum + Object.values(part).reduce((all, value) => all + String(value).length, 0),
    messageCharacters,
  )
}

function hasQuestion({ state }: Conversation): boolean {
  return unansweredApprovals(state.core).length > 0
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
