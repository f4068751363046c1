import { type Conversation, codeOf, type Turn } from '@parley/client'
import { visibleLine } from '@parley/presentation/text/control-characters'
import { addTokens, type TurnId, unansweredApprovals } from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import { exitCodes } from '../cli/exit-codes.ts'
import type { RunEnd } from '../cli/run-ended.ts'
import type { GivenAnswers } from './answers/answers-file.ts'
import { createPlanAnswers } from './answers/plan-answer.ts'
import { type EndedTurn, failureOf, keptId, stoppedRun, stoppedTurn } from './end/run-end.ts'
import { StoppedError, unlessStopped } from './end/stopper.ts'
import type { TurnMessage } from './input/message.ts'
import type { OutputPace } from './output/run-output.ts'
import { type Reports, reportEvents } from './reports/report-events.ts'
import type { Reporter } from './reports/reporter.ts'
import type { RunBudget } from './run-budget.ts'

/** Run in a conversation that is open. */
export interface ConversationRun {
  readonly conversation: Conversation
  readonly reporter: Reporter
  readonly pace: OutputPace
  readonly budget: RunBudget
  /** Aborts with a `StoppedError`. */
  readonly signal: AbortSignal
  /** Answers of a file to questions of the model; null without one. */
  readonly given: GivenAnswers | null
  /** True to ask the questions of an earlier run again; else they are closed. */
  readonly keepsQuestions?: boolean
  /** True to remove content that the provider refuses and names, and to go on. */
  readonly repairs?: boolean
}

/** Turns of a run, one after the other. Every event of the conversation is reported. */
export interface Turns {
  /** Turn that runs for the newest message; null before the server has named it. */
  readonly current: TurnId | null
  /** End of the turn of an earlier run that goes on with its question; null if no such turn goes on. */
  readonly earlier: Promise<EndedTurn> | null
  /** Sends a message and resolves to the end of its turn. An answer that does not satisfy its schema is sent back once. */
  ask(message: TurnMessage): Promise<EndedTurn>
  /** Sends a message into the running turn. Resolves to null at its end, or to the end of the turn that answered instead. */
  steer(message: TurnMessage): Promise<EndedTurn | null>
  /** Resolves when every event up to now was reported, or when a stopped run stops waiting for its readers. */
  reported(): Promise<void>
  /** Interrupts the turn that runs, waits for its end, and returns the end of the run. */
  stop(reason: StoppedError): Promise<RunEnd>
}

/** Most times that content is removed for one message. */
const mostRepairs = 5

/** Returns true if the provider has named the content that it refuses, in a run that may remove it. */
function isRepairable({ repairs }: ConversationRun, { event }: EndedTurn): boolean {
  return repairs === true && (event.failure?.refused?.seqs.length ?? 0) > 0
}

/** Time for an interrupted turn to end. */
const interruptLimitMs = 5000

/** Follows the conversation, and interrupts a turn that waits since an earlier run. Rejects when the run is stopped. */
export async function followTurns(run: ConversationRun): Promise<Turns> {
  const { conversation, budget, signal } = run
  const reports = reportEvents(run)
  const folded = foldTurns(conversation, budget)
  const stopping = new AbortController()
  const ownTurns = new Set<TurnId>()
  let running: Turn | null = null
  let current: Promise<EndedTurn> | null = null

  function send({ input, ...options }: TurnMessage): Promise<Turn> {
    // Another turn may run in a conversation that was joined.
    const when = conversation.attached ? { when: 'queue' as const } : {}
    return conversation.send(input, { ...when, ...options, ...budget.rest(), signal: stopping.signal })
  }

  async function begin(turn: Promise<Turn>): Promise<EndedTurn> {
    running = await turn
    try {
      const ended = await endOf(running, folded)
      ownTurns.add(ended.event.turnId)
      budget.spend(ended.event)
      return ended
    } finally {
      running = null
    }
  }

  async function askWithRepairs(message: TurnMessage): Promise<EndedTurn> {
    current = begin(send(message))
    let ended = await unlessStopped(current, signal)
    for (let times = 0; times < mostRepairs && isRepairable(run, ended); times++) {
      current = begin(repair(message))
      ended = withTurnBefore(ended, await unlessStopped(current, signal))
    }
    return ended
  }

  function repair({ outputSchema, checks, purpose }: TurnMessage): Promise<Turn> {
    const own = withoutUndefined({ outputSchema, checks, purpose })
    return conversation.leaveOut({ ...own, ...budget.rest(), signal: stopping.signal })
  }

  const old = await unlessStopped(resumeOldTurn(run), signal)
  if (old !== null) {
    current = begin(Promise.resolve(old))
    const stop = () => void conversation.interrupt(old.id ?? undefined).catch(() => false)
    stopping.signal.addEventListener('abort', stop, { once: true })
    current.catch(() => null)
  }
  return {
    earlier: current,
    get current() {
      return running?.id ?? null
    },
    async ask(message) {
      const first = await askWithRepairs(message)
      const correction = correctionOf(message, first)
      return correction === null ? first : withTurnBefore(first, await askWithRepairs(correction))
    },
    async steer(message) {
      const ended = await unlessStopped(endOf(await send(message), folded), signal)
      // `ask` returns the end of the turn that was steered.
      await current?.catch(() => null)
      return ownTurns.has(ended.event.turnId) ? null : ended
    },
    reported: () => reportedInTime(run, reports),
    async stop(reason) {
      const ended = await interruptAndWait(current, stopping, reason)
      if (ended !== null) return stoppedTurn(ended, reason, conversation.id)
      return stoppedRun(reason, keptId(conversation))
    },
  }
}

async function reportedInTime({ conversation, pace }: ConversationRun, reports: Reports): Promise<void> {
  await Promise.race([reports.upTo(conversation.state.core.seq), pace.outOfPatience()])
}

interface FoldedTurns {
  /** Returns the plan that replaces the last message of a turn as its answer; null without a plan. */
  readonly planOf: (turnId: TurnId) => string | null
  /** Resolves when the end of the turn was folded, or can no longer be. */
  end(turnId: TurnId): Promise<void>
}

function foldTurns(conversation: Conversation, budget: RunBudget): FoldedTurns {
  const ended = new Set<TurnId>()
  const plans = createPlanAnswers()
  let isReplaced = false
  conversation.subscribe((envelope) => {
    if (envelope === null) isReplaced = true
    else {
      budget.note(envelope.event)
      plans.note(envelope.event)
    }
    if (envelope?.event.type === 'turn.ended') ended.add(envelope.event.turnId)
  })
  const isOver = (turnId: TurnId) => isReplaced && conversation.state.core.turn?.id !== turnId
  return { planOf: plans.of, end: (turnId) => until(conversation, () => ended.has(turnId) || isOver(turnId)) }
}

/** Resolves to the end of the turn. A connection lost after the message was sent stops the run. */
async function endOf(turn: Turn, folded: FoldedTurns): Promise<EndedTurn> {
  try {
    const { text, ...ended } = await turn.result
    // The result may come from the log, ahead of the stream that is folded.
    await folded.end(ended.turnId)
    const message = folded.planOf(ended.turnId) ?? text
    return { event: { type: 'turn.ended', ...ended }, message: message === '' ? null : message }
  } catch (error) {
    if (codeOf(error) !== 'connectionClosed') throw error
    throw new StoppedError(exitCodes.internal, failureOf(error))
  }
}

/** Returns the message that asks once more for an answer that fits its schema, with the reason; null if the answer fits. */
function correctionOf(message: TurnMessage, { event: { outcome, answerProblem } }: EndedTurn): TurnMessage | null {
  if (outcome !== 'completed' || answerProblem === undefined) return null
  const text = `Your answer does not satisfy the output schema: ${answerProblem}. Answer again, with nothing but the JSON.`
  return { ...message, input: [{ type: 'text', text }] }
}

/** Returns the end of a turn with the usage and denials of the turn before it. */
function withTurnBefore(first: EndedTurn, { event, message }: EndedTurn): EndedTurn {
  const { usage, denials } = first.event
  return {
    event: { ...event, usage: addTokens(usage, event.usage), denials: [...denials, ...event.denials] },
    message,
  }
}

/** Returns the turn of an earlier run if its questions can be asked again, and reports them; ends any other old turn. */
async function resumeOldTurn({ conversation, reporter, keepsQuestions }: ConversationRun): Promise<Turn | null> {
  const { core } = conversation.state
  const { seq, meta } = core
  const pending = unansweredApprovals(core)
  const old = conversation.attached || keepsQuestions !== true || pending.length === 0 ? null : conversation.turn
  if (old === null) {
    await closeOldTurn(conversation, reporter)
    return null
  }
  for (const { state: _, ...approval } of pending) {
    const event = { type: 'approval.requested', approval } as const
    reporter.event({ conversationId: conversation.id, seq, at: meta.updatedAt, event })
  }
  return old
}

/** Interrupts a turn that waits since an earlier run. The turn of a conversation that was joined belongs to others. */
async function closeOldTurn(conversation: Conversation, reporter: Reporter): Promise<void> {
  const { turn, approvals } = conversation.state.core
  if (turn === null) return
  if (conversation.attached) return reporter.problem('A turn is running there; the message waits for its end.')
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

/** Interrupts the turn, or takes the waiting message back. Null if nothing runs, or its end cannot be recorded. */
async function interruptAndWait(
  current: Promise<EndedTurn> | null,
  stopping: AbortController,
  reason: StoppedError,
): Promise<EndedTurn | null> {
  const { exitCode } = reason
  if (current === null || exitCode === exitCodes.storage || exitCode === exitCodes.internal) return null
  stopping.abort(reason)
  const timer = new Promise<null>((resolve) => setTimeout(resolve, interruptLimitMs, null).unref())
  return await Promise.race([current.catch(() => null), timer])
}
