import { type ApprovalAnswer, type Conversation, codeOf, type Turn } from '@parley/client'
import { type Approval, addTokens, type TurnId } from '@parley/protocol'
import { exitCodes } from '../cli/exit-codes.ts'
import { visibleLine } from '../view/text/control-characters.ts'
import type { Message } from './message.ts'
import type { Reporter } from './reporter.ts'
import {
  type EndedTurn,
  failureOf,
  type RunEnd,
  StoppedError,
  stoppedRun,
  stoppedTurn,
  turnEnd,
  unlessStopped,
} from './run-end.ts'

interface TurnRun {
  readonly conversation: Conversation
  readonly message: Message
  readonly reporter: Reporter
  /** Aborts with a `StoppedError`. */
  readonly signal: AbortSignal
}

/** Time for an interrupted turn to end. */
const farewellMs = 5000

/** Sends the prompt and follows the turn to its end. Reports every event, and denies approvals that no rule answered. */
export async function runTurn(run: TurnRun): Promise<RunEnd> {
  const { conversation, reporter, signal } = run
  const reported = reportEvents(conversation, reporter)
  let current: Promise<EndedTurn> | null = null
  const ask = (message: Message) => {
    current = endOf(send(conversation, message), reported)
    return unlessStopped(current, signal)
  }
  try {
    await unlessStopped(closeOldTurn(run), signal)
    conversation.onApproval(deny, { onError: () => undefined })
    const first = await ask(run.message)
    const correction = correctionOf(run.message, first)
    return turnEnd(correction === null ? first : both(first, await ask(correction)), conversation.id)
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
    const ended = await farewell(conversation, current, error)
    if (ended !== null) return stoppedTurn(ended, error, conversation.id)
    return stoppedRun(error, conversation.state.core.seq === 0 ? null : conversation.id)
  }
}

interface ReportedEvents {
  /** Resolves when the end of the turn was reported, or can no longer be. */
  end(turnId: TurnId): Promise<void>
}

function reportEvents(conversation: Conversation, reporter: Reporter): ReportedEvents {
  const ended = new Set<TurnId>()
  let isReplaced = false
  conversation.subscribe((envelope) => {
    if (envelope === null) isReplaced = true
    else reporter.event(envelope)
    if (envelope?.event.type === 'turn.ended') ended.add(envelope.event.turnId)
  })
  const isOver = (turnId: TurnId) => isReplaced && conversation.state.core.turn?.id !== turnId
  return { end: (turnId) => until(conversation, () => ended.has(turnId) || isOver(turnId)) }
}

function send(conversation: Conversation, { input, ...options }: Message): Promise<Turn> {
  return conversation.send(input, options)
}

/** Resolves to the end of the turn. A connection lost after the message was sent stops the run. */
async function endOf(sending: Promise<Turn>, reported: ReportedEvents): Promise<EndedTurn> {
  const turn = await sending
  try {
    const { text, ...ended } = await turn.result
    // The result may come from the log, ahead of the stream that is reported.
    await reported.end(ended.turnId)
    return { event: { type: 'turn.ended', ...ended }, message: text === '' ? null : text }
  } catch (error) {
    if (codeOf(error) !== 'connectionClosed') throw error
    throw new StoppedError(exitCodes.internal, failureOf(error))
  }
}

/** Returns the message that asks once more for an answer that fits its schema, with the reason; null if none is needed. */
function correctionOf(message: Message, { event: { outcome, answerProblem } }: EndedTurn): Message | null {
  if (outcome !== 'completed' || answerProblem === undefined) return null
  const text = `Your answer does not satisfy the output schema: ${answerProblem}. Answer again, with nothing but the JSON.`
  return { ...message, input: [{ type: 'text', text }] }
}

function both(first: EndedTurn, { event, message }: EndedTurn): EndedTurn {
  const { usage, denials } = first.event
  return {
    event: { ...event, usage: addTokens(usage, event.usage), denials: [...denials, ...event.denials] },
    message,
  }
}

function deny({ reason }: Approval): ApprovalAnswer {
  const note = `nobody is there to answer in this scripted run, and no rule allows it: ${reason}`
  return { decision: 'denied', note, unattended: true }
}

/** Interrupts a turn that waits since an earlier run, before the new one begins. */
async function closeOldTurn({ conversation, reporter }: TurnRun): Promise<void> {
  const { turn, approvals } = conversation.state.core
  if (turn === null) return
  const titles = Object.values(approvals).map(({ title }) => visibleLine(title))
  if (titles.length > 0)
    reporter.problem(`An earlier turn still waited for an answer; closed, and not run: ${titles.join(', ')}`)
  const ended = until(conversation, () => conversation.state.core.turn === null)
  await conversation.interrupt()
  await ended
}

/** Resolves as soon as the state satisfies the condition. */
function until(conversation: Conversation, isReached: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isReached()) return
      stop()
      resolve()
    }
    const stop = conversation.subscribe(check)
    check()
  })
}

/** Interrupts the turn and waits for its end. Resolves to null if nothing runs, or its end cannot be recorded. */
async function farewell(
  conversation: Conversation,
  current: Promise<EndedTurn> | null,
  { exitCode }: StoppedError,
): Promise<EndedTurn | null> {
  if (exitCode === exitCodes.storage || exitCode === exitCodes.internal) return null
  const ended = current?.catch(() => null) ?? null
  const timer = new Promise<null>((resolve) => setTimeout(resolve, farewellMs, null).unref())
  const interrupted = conversation.interrupt().then(
    (ran) => (ran ? ended : null),
    () => null,
  )
  return await Promise.race([...(ended === null ? [] : [ended]), interrupted, timer])
}
