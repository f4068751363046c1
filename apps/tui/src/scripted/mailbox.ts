import type { Conversation } from '@parley/client'
import { addTokens, type Failure, unansweredApprovals } from '@parley/protocol'
import { exitCodes } from '../cli/exit-codes.ts'
import { failedRun, type RunEnd } from '../cli/run-ended.ts'
import { type EndedTurn, failureOf, turnEnd } from './end/run-end.ts'
import { StoppedError, unlessStopped } from './end/stopper.ts'
import type { Turns } from './follow-turns.ts'
import type { TurnMessage } from './input/message.ts'
import { type RejectedLine, type Reporter, sayRejected } from './reports/reporter.ts'

/** Messages of a run that wait for the turns before them. */
export interface Mailbox {
  /** Sends the message when the turns before it are over, or into the one that runs. `line` is 0 for the command line. */
  post(message: TurnMessage, line: number): void
  /** Takes note of a line without effect. `isMistake`: the line itself is wrong, so the run ends with an error. */
  reject(rejected: RejectedLine, isMistake: boolean): void
  /** Resolves when another line may be read: not too much waits, or an open question waits for its answer from stdin. */
  room(signal: AbortSignal): Promise<void>
  /** Resolves when every message has been answered. */
  end(): Promise<RunEnd>
  /** Rejects every message that waits, after the run was stopped. */
  rejectAll(reason: unknown): void
}

interface MailboxParts {
  readonly conversation: Conversation
  readonly reporter: Reporter
  readonly turns: Turns
  /** Called with the failure of the message of the command line. */
  readonly fail: (fault: unknown) => void
}

/**
 * Most waiting characters before stdin is no longer read, and most while an open question keeps it read. Beyond the
 * first limit an interrupt may stand behind messages, so only memory limits them.
 */
const waitingLimits = { pause: 64 * 1024 * 1024, reject: 128 * 1024 * 1024 }
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

  /** Sends a message. If the server rejects it, its line has no effect; the message of the command line fails the run. */
  async function send(message: TurnMessage, line: number): Promise<void> {
    const how = message.when === 'steer' && turns.current !== null ? turns.steer : turns.ask
    try {
      const ended = await how({ when: 'queue', ...message })
      if (ended !== null) keep(ended)
    } catch (error) {
      const isStopped = error instanceof StoppedError
      // The message has begun a turn, which ends with the run.
      if (isStopped && turns.current !== null) return
      if (line === 0) throw error
      reject({ line, failure: failureFor(error) }, !isStopped)
    }
  }

  async function sendInTurn(message: TurnMessage, line: number): Promise<void> {
    // The run was stopped, and the line was rejected.
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
      if (waitingCharacters >= waitingLimits.reject) return reject({ line, failure: tooMany }, true)
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
    rejectAll(reason) {
      const failure = failureFor(reason)
      for (const line of waiting.keys()) if (line > 0) reject({ line, failure }, false)
      waiting.clear()
      waitingCharacters = 0
    },
  }
}

/** Returns the failure of a line without effect, also after the end of the run. */
export function failureFor(reason: unknown): Failure {
  if (!(reason instanceof StoppedError)) return failureOf(reason)
  return reason.failure ?? { code: 'stopped', message: reason.message }
}

const tooMany = { code: 'inboxFull', message: 'Too many messages wait already. Send it after their turns have ended.' }

function sizeOf({ input }: TurnMessage): number {
  return input.reduce(
    (sum, part) => sum + Object.values(part).reduce((all, value) => all + String(value).length, 0),
    messageCharacters,
  )
}

function hasQuestion({ state }: Conversation): boolean {
  return unansweredApprovals(state.core).length > 0
}

/** Returns the end of the last turn, with the tokens and denials of all turns. A wrong line makes it a failure. */
function endOfTalk(ends: readonly RunEnd[], mistake: RejectedLine | null): RunEnd {
  const failure = mistake === null ? null : { code: 'invalidInput', message: sayRejected(mistake) }
  const last = ends.at(-1)
  if (last === undefined)
    return failedRun(failure ?? { code: 'invalidInput', message: 'stdin ended before a message came.' })
  const counts = ends.flatMap(({ usage }) => (usage === null ? [] : [usage]))
  const whole = { ...last, usage: counts.reduce(addTokens), denials: ends.flatMap(({ denials }) => denials) }
  return failure === null || last.exitCode !== exitCodes.ok ? whole : { ...whole, exitCode: exitCodes.usage, failure }
}
