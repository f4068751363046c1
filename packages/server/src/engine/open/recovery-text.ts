import type { ConversationEvent, LostRange } from '@parley/protocol'

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
export function recoveryText(recovery: Recovery): string {
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
