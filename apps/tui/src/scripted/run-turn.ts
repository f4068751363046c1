import { type Client, type ConversationStore, openConversationStore } from '@parley/client'
import type { ConversationSummary, Envelope, EventOf, ItemOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { type ExitCode, exitCodeOf, exitCodes } from '../cli/exit-codes.ts'
import type { Reporter, RunEnd } from './reporter.ts'

interface TurnRun {
  readonly client: Client
  readonly conversation: ConversationSummary
  readonly prompt: string
  readonly reporter: Reporter
  /** Settles with an exit code when the run is to end before its turn does. */
  readonly leave: Promise<ExitCode>
}

const denialNote = 'Nobody is there to answer: this is a scripted run, and its policy does not allow this.'
/** How long an interrupted turn may take to say that it ended. */
const farewellMs = 5000

/** Sends the prompt and follows the turn to its end; approvals that no policy answered are denied. */
export async function runTurn(run: TurnRun): Promise<RunEnd> {
  const { client, conversation } = run
  const { conversationId } = conversation
  const store = await openConversationStore(client, conversationId)
  const turn = followTurn(run, store)
  await settleOldTurn(run, store)
  const sent = await client.request('conversation/sendMessage', {
    conversationId,
    input: [{ type: 'text', text: run.prompt }],
  })
  turn.expect(sent.turnId)
  const lost = client.closed.then(() => 'lost' as const)
  const first = await Promise.race([turn.ended, run.leave.then((code) => ({ code })), lost])
  if (first === 'lost') return lostServer(conversationId)
  if (!('code' in first)) return endOf(first, turn.answer(), conversationId)
  return farewell(run, turn, first.code)
}

interface FollowedTurn {
  expect(turnId: string | null): void
  readonly ended: Promise<EventOf<'turn.ended'>>
  answer(): string | null
}

function followTurn({ client, conversation, reporter }: TurnRun, store: ConversationStore): FollowedTurn {
  let expected: string | null = null
  let answer: ItemOf<'agentMessage'> | null = null
  let finish: (event: EventOf<'turn.ended'>) => void = () => undefined
  const ended = new Promise<EventOf<'turn.ended'>>((resolve) => {
    finish = resolve
  })
  const seen: EventOf<'turn.ended'>[] = []
  const settle = () => {
    const mine = seen.find(({ turnId }) => turnId === expected)
    if (mine !== undefined) finish(mine)
  }
  store.subscribe((envelope: Envelope | null) => {
    if (envelope === null) return
    reporter.event(envelope)
    const { event } = envelope
    if (event.type === 'turn.started') answer = null
    if (event.type === 'item.completed' && event.item.type === 'agentMessage') answer = event.item
    if (event.type === 'approval.requested') void deny(client, conversation.conversationId, event.approval.id)
    if (event.type === 'turn.ended') {
      seen.push(event)
      settle()
    }
  })
  return {
    expect(turnId) {
      expected = turnId
      settle()
    },
    ended,
    answer: () => answer?.text ?? null,
  }
}

/** The answer may be too late when another client was quicker; then there is nothing to deny. */
async function deny(client: Client, conversationId: string, approvalId: string): Promise<void> {
  try {
    await client.request('approval/decide', { conversationId, approvalId, decision: 'denied', note: denialNote })
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
  }
}

/** A turn that waits since an earlier run is closed before the new one begins. */
async function settleOldTurn({ client }: TurnRun, store: ConversationStore): Promise<void> {
  if (store.state.core.turn === null) return
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

async function farewell({ client, conversation }: TurnRun, turn: FollowedTurn, code: ExitCode): Promise<RunEnd> {
  const { conversationId } = conversation
  const timer = new Promise<null>((resolve) => setTimeout(resolve, farewellMs, null).unref())
  const interrupted = client.request('conversation/interrupt', { conversationId }).then(
    () => turn.ended,
    () => null,
  )
  const event = await Promise.race([interrupted, timer])
  const end = event === null ? lostServer(conversationId) : endOf(event, turn.answer(), conversationId)
  return { ...end, exitCode: code }
}

function endOf(event: EventOf<'turn.ended'>, answer: string | null, conversationId: string): RunEnd {
  const { outcome, denials, usage, failure = null } = event
  const kept = outcome === 'completed' ? answer : null
  return { exitCode: codeOf(event, kept), conversationId, outcome, answer: kept, failure, denials, usage }
}

function codeOf({ outcome, failure, denials }: EventOf<'turn.ended'>, answer: string | null): ExitCode {
  if (outcome === 'completed' && answer !== null && answer.trim() !== '') return exitCodes.ok
  if (denials.length > 0) return exitCodes.approvalUnanswered
  return failure === undefined ? exitCodes.turnFailed : exitCodeOf(failure.code)
}

function lostServer(conversationId: string): RunEnd {
  const failure = {
    code: 'internal',
    message: `The server ended unexpectedly; the conversation is saved. Go on with: parley exec resume ${conversationId.slice(-8)}`,
  }
  return {
    exitCode: exitCodes.internal,
    conversationId,
    outcome: null,
    answer: null,
    failure,
    denials: [],
    usage: null,
  }
}
