import type { Incoming } from '../transport/transport.ts'
import { invalidRequest, type RpcError, unreadableLine } from './errors.ts'
import type { FaultRecorder } from './faults.ts'
import type { IncomingRequests } from './incoming-requests.ts'
import { errorLine, type RequestId, readMessage } from './message.ts'
import type { OutgoingRequests } from './outgoing-requests.ts'

/** Called synchronously, in the order of the lines. There is nobody to answer: what it throws is a fault. */
export type NotificationHandler = (params: unknown) => void | Promise<void>

export interface DispatcherOptions {
  readonly inbound: IncomingRequests
  readonly outbound: OutgoingRequests
  readonly notifications: Readonly<Record<string, NotificationHandler>>
  readonly answer: (line: string) => void
  readonly ledger: FaultRecorder
}

/** Takes each line to whoever it is for; what is for nobody is refused, unless it is a notification or a reply. */
export function createDispatcher(options: DispatcherOptions): (incoming: Incoming) => void {
  const { inbound, outbound, notifications, answer, ledger } = options

  function receive(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') {
      ledger.record({ code: 'unreadable', reason: incoming.reason })
      refuse(null, unreadableLine(incoming.reason))
      return
    }
    const message = readMessage(incoming.value)
    switch (message.kind) {
      case 'request':
        inbound.receive(message)
        break
      case 'notification':
        notified(message.method, message.params)
        break
      case 'reply':
        outbound.settle(message)
        break
      case 'invalid':
        refuse(message.id, invalidRequest(message.problem))
        break
    }
  }

  function notified(method: string, params: unknown): void {
    const handler = Object.hasOwn(notifications, method) ? notifications[method] : undefined
    const fail = (cause: unknown) => ledger.record({ code: 'handlerFailed', method, cause })
    try {
      handler?.(params)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  /** With the id of a request in flight, the error would pass for that request's answer. */
  function refuse(id: RequestId | null, error: RpcError): void {
    answer(errorLine(id !== null && inbound.isRunning(id) ? null : id, error))
  }

  return receive
}
