import type { WritableLog } from '@parley/journal'
import type { ConversationEvent, ConversationState, LostRange } from '@parley/protocol'

/** Returns the events that record a recovery; none when the log was closed in good order. */
export function recoveryEvents(
  { core }: ConversationState,
  opened: WritableLog,
  settling: readonly ConversationEvent[],
): readonly ConversationEvent[] {
  const lost = opened.lost.map(({ fromSeq, toSeq }) => ({ fromSeq, toSeq, reason: 'damaged' }))
  const tornBytes = opened.torn?.sizeBytes ?? 0
  const waiting = core.inboxPaused ? 0 : core.inbox.length
  if (settling.length === 0 && lost.length === 0 && tornBytes === 0 && waiting === 0) return []
  const parked = settling.find((event) => event.type === 'turn.parked')?.turnId
  const withdrawn = new Set(settling.flatMap((event) => (event.type === 'approval.decided' ? [event.approvalId] : [])))
  const pending = Object.values(core.approvals).filter(({ id, state }) => state === 'pending' && !withdrawn.has(id))
  const text = recoveryText({ lost, tornBytes, pending: pending.length, waiting, settling })
  return [
    {
      type: 'conversation.recovered',
      by: { pid: process.pid, program: 'parley' },
      lost,
      tornBytes,
      parked: parked ?? (core.turn?.parked === true ? core.turn.id : null),
      pending: pending.map(({ id }) => id),
      text,
    },
    ...settling,
  ]
}

interface Recovery {
  readonly lost: readonly LostRange[]
  readonly tornBytes: number
  /** Approvals that are pending again. */
  readonly pending: number
  /** Messages in the inbox that from now on wait for the user. */
  readonly waiting: number
  readonly settling: readonly ConversationEvent[]
}

/** What was recovered, in one line for people. */
function recoveryText(recovery: Recovery): string {
  const { lost, tornBytes, settling } = recovery
  const found = findings(recovery)
  const crashed = lost.length > 0 || tornBytes > 0 || settling.length > 0
  const opening = crashed ? 'Recovered after parley ended unexpectedly' : 'Taken up where it was left'
  return found.length === 0 ? `${opening}.` : `${opening}: ${found.join('; ')}.`
}

function findings({ lost, tornBytes, pending, waiting, settling }: Recovery): string[] {
  const items = settling.flatMap((event) => (event.type === 'item.completed' ? [event.item] : []))
  const unknown = items.filter(({ status }) => status === 'unknown').map(({ title }) => title)
  const forgotten = items.filter((item) => 'failure' in item && item.failure?.code === 'secretNotKept').length
  return [
    ...(tornBytes > 0 ? [`an unfinished last line (${tornBytes} bytes) was kept aside`] : []),
    ...(lost.length > 0 ? [`${counted(lost.length, 'damaged place')} in the log skipped`] : []),
    ...(unknown.length > 0 ? [`started, end unknown: ${unknown.join(', ')}`] : []),
    ...(forgotten > 0
      ? [`${counted(forgotten, 'call')} with a secret in it not run: secrets are kept in memory only`]
      : []),
    ...(pending > 0 ? [`${counted(pending, 'approval')} ${pending === 1 ? 'waits' : 'wait'} for you again`] : []),
    ...(waiting > 0 ? [`${counted(waiting, 'queued message')} ${waiting === 1 ? 'waits' : 'wait'} for you`] : []),
  ]
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
