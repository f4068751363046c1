import { type LiveConversation, summaryOf } from '../live/live-conversation.ts'
import { type Labels, metricText } from './exposition.ts'

/** State of a process at one moment, in seconds and bytes. */
export interface ProcessState {
  readonly version: string
  readonly uptimeSeconds: number
  /** Delays of the event loop since the text was last read, by quantile. */
  readonly loopDelays: Readonly<Record<string, number>>
  readonly memory: Readonly<Record<string, number>>
}

interface MeasuredServer {
  readonly conversations: readonly LiveConversation[]
  readonly clients: number
  /** True where conversations are in a store that servers share. */
  readonly isShared: boolean
}

/** Writes the present state in the form of Prometheus. */
export function gaugeText({ conversations, clients, isShared }: MeasuredServer, state: ProcessState): string {
  const written = conversations.filter(({ conversation }) => !conversation.readOnly)
  const approvals = written.map(({ conversation }) => Object.keys(conversation.state.core.approvals).length)
  const running = written.filter(({ conversation }) => conversation.state.core.turn !== null)
  const unsaved = written.filter((open) => summaryOf(open).storage !== undefined)
  const { version, uptimeSeconds, loopDelays, memory } = state
  return [
    gauge('parley_info', 'Version of the program.', 1, { version }),
    gauge('parley_uptime_seconds', 'Time since the process started.', uptimeSeconds),
    gauge('parley_conversations_open', 'Conversations that this server writes.', written.length),
    gauge('parley_turns_running', 'Turns that have begun and not ended.', running.length),
    gauge(
      'parley_approvals_open',
      'Questions that wait for an answer.',
      approvals.reduce((sum, each) => sum + each, 0),
    ),
    gauge('parley_conversations_unsaved', 'Conversations whose storage takes nothing at present.', unsaved.length),
    ...(isShared
      ? [gauge('parley_store_owned', 'Conversations of the store that this server has.', written.length)]
      : []),
    gauge('parley_clients', 'Clients that are connected.', clients),
    quantiles('parley_event_loop_delay_seconds', 'Delay of the event loop since the last reading.', loopDelays),
    metricText(
      { name: 'parley_memory_bytes', help: 'Memory of the process.' },
      'gauge',
      Object.entries(memory).map(([kind, value]) => ({ labels: { kind }, value })),
    ),
  ].join('')
}

function gauge(name: string, help: string, value: number, labels: Labels = {}): string {
  return metricText({ name, help }, 'gauge', [{ labels, value }])
}

function quantiles(name: string, help: string, values: Readonly<Record<string, number>>): string {
  const samples = Object.entries(values).map(([quantile, value]) => ({ labels: { quantile }, value }))
  return metricText({ name, help }, 'gauge', samples)
}
