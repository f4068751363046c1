import type { Client, ConversationStore } from '@parley/client'
import type { ApprovalRequest, Envelope, EventOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { Reporter } from './reporter.ts'
import type { EndedTurn } from './run-end.ts'

/** The turn of a run, from the first event to `turn.ended`. */
export interface FollowedTurn {
  /** Known only once the message was sent; events may be quicker. Another one begins to wait anew. */
  expect(turnId: string | null): void
  readonly ended: Promise<EndedTurn>
}

/** Reports every event, denies what no rule answered, and watches for the end. */
export function followTurn(client: Client, store: ConversationStore, reporter: Reporter): FollowedTurn {
  let expected: string | null = null
  let message: string | null = null
  const endings: EndedTurn[] = []
  let ended = Promise.withResolvers<EndedTurn>()

  function settle(): void {
    const mine = endings.find(({ event }) => event.turnId === expected)
    if (mine !== undefined) ended.resolve(mine)
  }

  function take({ event }: Envelope): void {
    if (event.type === 'turn.started') message = null
    if (event.type === 'item.completed' && event.item.type === 'agentMessage') message = event.item.text
    if (event.type === 'approval.requested') void deny(client, store.conversationId, event.approval)
    if (event.type !== 'turn.ended') return
    endings.push({ event, message })
    settle()
  }

  store.subscribe((envelope) => {
    if (envelope === null) {
      endings.push(...missedEnding(store))
      return settle()
    }
    reporter.event(envelope)
    take(envelope)
  })
  return {
    expect(turnId) {
      if (expected !== null) ended = Promise.withResolvers<EndedTurn>()
      expected = turnId
      settle()
    },
    get ended() {
      return ended.promise
    },
  }
}

/** The server's state replaced ours, and with it events that we will never see. */
function missedEnding({ state }: ConversationStore): EndedTurn[] {
  const { lastTurn } = state.core
  if (lastTurn === null) return []
  const { id: turnId, outcome, failure, usage, answerProblem } = lastTurn
  const problem = answerProblem === undefined ? {} : { answerProblem }
  const event: EventOf<'turn.ended'> = { type: 'turn.ended', turnId, outcome, usage, denials: [], ...problem }
  const said = state.window.findLast(({ item, turnId: of }) => item.type === 'agentMessage' && of === turnId)
  return [{ event: failure === null ? event : { ...event, failure }, message: said?.item.text ?? null }]
}

/** The answer may be too late when another client was quicker; then there is nothing to deny. */
async function deny(client: Client, conversationId: string, { id, reason }: ApprovalRequest): Promise<void> {
  const note = `nobody is there to answer in this scripted run, and no rule allows it: ${reason}`
  try {
    await client.request('approval/decide', {
      conversationId,
      approvalId: id,
      decision: 'denied',
      note,
      unattended: true,
    })
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
  }
}
