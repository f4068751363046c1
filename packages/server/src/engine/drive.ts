import type { ConversationEvent, Failure, Item } from '@parley/protocol'
import { nextStep, type Step } from '../core/next-step.ts'
import type { Bench } from './bench.ts'
import type { Conversation } from './conversation.ts'
import { isCallItem, runCall } from './run-call.ts'
import { runModel } from './run-model.ts'
import { userMessageItem } from './user-message.ts'

/** Keeps one loop per conversation going: `while (step = nextStep(state)) await perform(step)`. */
export interface Driver {
  /** Looks whether there is something to do; harmless when the loop runs. */
  wake(): void
  /** Stops the running turn; false when none runs. */
  interrupt(): boolean
  /** Stops what runs without ending a turn that waits for a person. Resolves when nothing runs. */
  shutDown(): Promise<void>
  readonly running: boolean
}

export function createDriver(conversation: Conversation, bench: Bench, onFault: (fault: unknown) => void): Driver {
  let controller = new AbortController()
  let loop: Promise<void> | null = null
  let closing = false

  async function run(): Promise<void> {
    for (;;) {
      const step = closing ? null : nextStep(conversation.state)
      if (step === null || step.kind === 'await') return
      const { signal } = controller
      const failure = await perform({ conversation, bench, signal }, step)
      if (signal.aborted) {
        controller = new AbortController()
        endTurn(conversation, bench, closing ? 'shutdown' : 'interrupted')
      } else if (failure !== null) endTurn(conversation, bench, failure)
    }
  }

  function wake(): void {
    if (loop !== null || closing) return
    loop = run()
      .catch(onFault)
      .finally(() => {
        loop = null
      })
  }

  return {
    wake,
    interrupt() {
      if (conversation.state.core.turn === null) return false
      if (loop === null) endTurn(conversation, bench, 'interrupted')
      else controller.abort()
      return true
    },
    async shutDown() {
      closing = true
      controller.abort()
      await loop
    },
    get running() {
      return loop !== null
    },
  }
}

export interface Run {
  readonly conversation: Conversation
  readonly bench: Bench
  readonly signal: AbortSignal
}

/** Resolves to the failure that ends the turn, or null. */
async function perform(run: Run, step: Exclude<Step, { kind: 'await' }>): Promise<Failure | null> {
  switch (step.kind) {
    case 'startTurn':
      startQueuedTurn(run, step)
      return null
    case 'callModel':
      consume(run, step.steering)
      return runModel(run)
    case 'runCalls':
      await Promise.all(step.itemIds.map((itemId) => runCall(run, itemId)))
      return null
    case 'endTurn':
      endTurn(run.conversation, run.bench, 'completed')
      return null
  }
}

function startQueuedTurn({ conversation, bench }: Run, { message }: Extract<Step, { kind: 'startTurn' }>): void {
  const turnId = bench.ids.turn()
  conversation.recordAll([
    { type: 'turn.started', turnId, trigger: 'inbox' },
    { type: 'message.consumed', messageId: message.messageId },
    { type: 'item.completed', turnId, item: userMessageItem(bench.ids.item(), message) },
  ])
}

function consume({ conversation, bench }: Run, messages: Extract<Step, { kind: 'callModel' }>['steering']): void {
  const turnId = conversation.state.core.turn?.id
  if (messages.length === 0 || turnId === undefined) return
  conversation.recordAll(
    messages.flatMap((message): ConversationEvent[] => [
      { type: 'message.consumed', messageId: message.messageId },
      { type: 'item.completed', turnId, item: userMessageItem(bench.ids.item(), message) },
    ]),
  )
}

/** Ends the open turn: calls that never ran are closed, and the transcript says why it ended. */
function endTurn(
  conversation: Conversation,
  bench: Bench,
  why: 'completed' | 'interrupted' | 'shutdown' | Failure,
): void {
  const { turn } = conversation.state.core
  if (turn === null) return
  const outcome =
    why === 'completed' ? 'completed' : why === 'interrupted' || why === 'shutdown' ? 'interrupted' : 'failed'
  const failure = typeof why === 'string' ? {} : { failure: why }
  conversation.recordAll([...closeOpenItems(conversation, turn.id), ...notice(bench, turn.id, why)])
  const { usage, denials } = conversation.state.core.turn ?? turn
  conversation.record({ type: 'turn.ended', turnId: turn.id, outcome, ...failure, usage, denials })
}

function closeOpenItems(conversation: Conversation, turnId: string): ConversationEvent[] {
  const open = Object.values(conversation.state.core.open).filter((entry) => entry.turnId === turnId)
  return open.map(({ item }) => ({ type: 'item.completed', turnId, item: interrupted(item) }))
}

function interrupted(item: Item): Item {
  return isCallItem(item)
    ? { ...item, status: 'interrupted', modelText: 'Not run: the user interrupted the turn.' }
    : { ...item, status: 'interrupted' }
}

function notice(bench: Bench, turnId: string, why: Parameters<typeof endTurn>[2]): ConversationEvent[] {
  if (why === 'completed') return []
  const id = bench.ids.item()
  const shown =
    typeof why === 'string'
      ? {
          level: 'info' as const,
          code: why,
          title: why === 'interrupted' ? 'Interrupted' : 'Stopped: parley was closed',
          text: '',
        }
      : { level: 'error' as const, code: why.code, title: why.message, text: '' }
  return [{ type: 'item.completed', turnId, item: { id, type: 'notice', status: 'completed', ...shown } }]
}
