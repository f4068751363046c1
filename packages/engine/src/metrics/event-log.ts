import { type ConversationEvent, type ConversationId, isCall } from '@parley/protocol'
import { errorCode } from '@parley/text'

/** Events of the log of a server, with their level. docs/operating.md lists them. */
export const logLevels = {
  'server.listening': 'info',
  'server.unreachable': 'warn',
  'server.certificate': 'warn',
  'server.ended': 'info',
  'store.away': 'warn',
  'store.back': 'info',
  'users.unreadable': 'warn',
  'user.changed': 'info',
  'client.connected': 'info',
  'client.disconnected': 'info',
  'machine.connected': 'info',
  'machine.disconnected': 'warn',
  'conversation.opened': 'info',
  'turn.started': 'info',
  'turn.ended': 'info',
  'call.ended': 'info',
  'approval.requested': 'info',
  'approval.decided': 'info',
  fault: 'error',
  defect: 'error',
} as const

/** Entry of the log. Its fields are names, numbers and words of fixed lists: never what people, models or programs wrote. */
interface LogEntry {
  readonly event: keyof typeof logLevels
  readonly conversation?: ConversationId
  readonly user?: string
  readonly [field: string]: string | number | undefined
}

export type LogEvent = (entry: LogEntry) => void

interface LineParts {
  readonly now: () => number
  readonly pid: number
  /** Takes a whole line. */
  write(line: string): void
}

export function createJsonLog({ now, pid, write }: LineParts): LogEvent {
  return ({ event, ...fields }) => {
    const time = new Date(now()).toISOString()
    write(`${JSON.stringify({ time, level: logLevels[event], event, pid, ...fields })}\n`)
  }
}

/** Returns a listener that logs the events of one conversation that matter to an operator. */
export function logConversation(conversation: ConversationId, log: LogEvent): (event: ConversationEvent) => void {
  log({ event: 'conversation.opened', conversation })
  return (event) => {
    switch (event.type) {
      case 'turn.started':
        return log({ event: 'turn.started', conversation })
      case 'turn.ended':
        return log({ event: 'turn.ended', conversation, outcome: event.outcome })
      case 'item.completed':
        if (isCall(event.item))
          log({ event: 'call.ended', conversation, kind: event.item.type, outcome: event.item.status })
        return
      case 'approval.requested':
        return log({ event: 'approval.requested', conversation, kind: event.approval.kind })
      case 'approval.decided':
        return log({ event: 'approval.decided', conversation, decision: event.decision, ...userOf(event.by) })
      default:
    }
  }
}

function userOf(by: { readonly user?: string } | undefined): Pick<LogEntry, 'user'> {
  return by?.user === undefined ? {} : { user: by.user }
}

/** Returns the kind of a fault, which may be logged; its message may quote files and conversations. */
export function kindOfFault(fault: unknown): { readonly error: string; readonly code?: string } {
  if (!(fault instanceof Error)) return { error: typeof fault }
  const code = errorCode(fault)
  return { error: fault.name, ...(code !== null && /^[\w.-]{1,64}$/.test(code) ? { code } : {}) }
}
