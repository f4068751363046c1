import type { Incoming } from '../transport/transport.ts'
import { type FaultRecorder, invalidRequest, unreadableLine } from './errors.ts'
import type { IncomingRequests } from './incoming-requests.ts'
import { readMessage } from './message.ts'
import type { OutgoingRequests } from './outgoing-requests.ts'

/** Handles a notification. Called synchronously, in the order of the lines; an error it throws is a fault. */
export type NotificationHandler = (params: unknown) => void | Promise<void>

interface DispatcherOptions {
  readonly incomingRequests: IncomingRequests
  readonly outgoingRequests: OutgoingRequests
  readonly notifications: Readonly<Record<string, NotificationHandler>>
  readonly faults: FaultRecorder
}

/**
 * Creates the function that passes each incoming message to requests, replies or notifications. Sends an error reply
 * for lines that are not messages; ignores unknown notifications.
 */
export function createDispatcher(options: DispatcherOptions): (incoming: Incoming) => void {
  const { incomingRequests, outgoingRequests, notifications, faults } = options

  function dispatch(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') {
      faults.record({ code: 'unreadable', reason: incoming.reason })
      incomingRequests.reject(null, unreadableLine(incoming.reason))
      return
    }
    const message = readMessage(incoming.value)
    switch (message.kind) {
      case 'request':
        incomingRequests.receive(message)
        break
      case 'notification':
        notify(message.method, message.params)
        break
      case 'reply':
        outgoingRequests.settle(message)
        break
      case 'invalid':
        incomingRequests.reject(message.id, invalidRequest(message.problem))
        break
    }
  }

  function notify(method: string, params: unknown): void {
    const handler = Object.hasOwn(notifications, method) ? notifications[method] : undefined
    const fail = (cause: unknown) => faults.record({ code: 'handlerFailed', method, cause })
    try {
      handler?.(params)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  return dispatch
}
