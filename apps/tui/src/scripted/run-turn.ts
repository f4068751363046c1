import { type Client, type ConversationStore, openConversationStore } from '@parley/client'
import { addTokens, type ConversationSummary } from '@parley/protocol'
import { exitCodes } from '../cli/exit-codes.ts'
import { visibleLine } from '../view/visible-text.ts'
import { type FollowedTurn, followTurn } from './follow-turn.ts'
import type { Message } from './message.ts'
import type { Reporter } from './reporter.ts'
import { type EndedTurn, type RunEnd, stoppedRun, stoppedTurn, turnEnd } from './run-end.ts'
import { Stopped, unlessStopped } from './stop.ts'

export interface TurnRun {
  readonly client: Client
  readonly conversation: ConversationSummary
  readonly message: Message
  readonly reporter: Reporter
  /** Its reason is a `Stopped`. */
  readonly signal: AbortSignal
}

/** How long an interrupted turn may take to say that it ended. */
const farewellMs = 5000

/** Sends the prompt and follows the turn to its end. */
export async function runTurn(run: TurnRun): Promise<RunEnd> {
  const { client, conversation, signal, reporter } = run
  const { conversationId } = conversation
  const store = await unlessStopped(openConversationStore(client, conversationId), signal)
  const turn = followTurn(client, store, reporter)
  try {
    await unlessStopped(closeOldTurn(run, store), signal)
    await unlessStopped(send(run, turn), signal)
    const first = await unlessStopped(turn.ended, signal)
    return turnEnd(await repaired(run, turn, first), conversationId)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    const ended = await farewell(run, turn, error)
    if (ended !== null) return stoppedTurn(ended, error, conversationId)
    return stoppedRun(error, store.state.core.seq === 0 ? null : conversationId)
  }
}

async function send({ client, conversation, message }: TurnRun, turn: FollowedTurn): Promise<void> {
  const { conversationId } = conversation
  const { turnId } = await client.request('conversation/sendMessage', { conversationId, ...message })
  turn.expect(turnId)
}

/** An answer that does not satisfy its schema gets one more chance, with the reason. */
async function repaired(run: TurnRun, turn: FollowedTurn, first: EndedTurn): Promise<EndedTurn> {
  const { answerProblem, usage, denials } = first.event
  if (first.event.outcome !== 'completed' || answerProblem === undefined) return first
  const text = `Your answer does not satisfy the output schema: ${answerProblem}. Answer again, with nothing but the JSON.`
  const message = { ...run.message, input: [{ type: 'text' as const, text }] }
  await unlessStopped(send({ ...run, message }, turn), run.signal)
  const { event, message: said } = await unlessStopped(turn.ended, run.signal)
  const both = { ...event, usage: addTokens(usage, event.usage), denials: [...denials, ...event.denials] }
  return { event: both, message: said }
}

/** A turn that waits since an earlier run is closed before the new one begins. */
async function closeOldTurn({ client, reporter }: TurnRun, store: ConversationStore): Promise<void> {
  const { turn, approvals } = store.state.core
  if (turn === null) return
  const titles = Object.values(approvals).map(({ title }) => visibleLine(title))
  if (titles.length > 0)
    reporter.problem(`An earlier turn still waited for an answer; closed, and not run: ${titles.join(', ')}`)
  const ended = new Promise<void>((resolve) => {
    const stop = store.subscribe(() => {
      if (store.state.core.turn !== null) return
      stop()
      resolve()
    })
  })
  await client.request('conversation/interrupt', { conversationId: store.conversationId })
  await ended
}

/** Interrupts the turn and waits for its end. Null when there is none to come: nothing ran, or it cannot be recorded. */
async function farewell(
  { client, conversation }: TurnRun,
  turn: FollowedTurn,
  { exitCode }: Stopped,
): Promise<EndedTurn | null> {
  if (exitCode === exitCodes.storage || exitCode === exitCodes.internal) return null
  const { conversationId } = conversation
  const timer = new Promise<null>((resolve) => setTimeout(resolve, farewellMs, null).unref())
  const interrupted = client.request('conversation/interrupt', { conversationId }).then(
    ({ interrupted: ran }) => (ran ? turn.ended : null),
    () => null,
  )
  return await Promise.race([turn.ended, interrupted, timer])
}
