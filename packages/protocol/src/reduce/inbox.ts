import type { EventOf } from '../schema/event.ts'
import type { MessageId } from '../schema/ids.ts'
import type { Core, RequestResult } from '../schema/state.ts'

const rememberedRequests = 1000

export type InboxEvent = EventOf<'message.queued' | 'message.edited' | 'message.removed' | 'message.consumed'>

export function reduceInbox(core: Core, event: InboxEvent, seq: number): Core {
  switch (event.type) {
    case 'message.queued': {
      const { message } = event
      const disposition = message.when === 'steer' ? 'steering' : 'queued'
      const queued = { ...core, inbox: [...core.inbox, message] }
      return rememberRequest(queued, { key: message.messageId, seq, turnId: core.turn?.id ?? null, disposition })
    }
    case 'message.edited':
      return {
        ...core,
        inbox: core.inbox.map((message) =>
          message.messageId === event.messageId ? { ...message, content: event.content } : message,
        ),
      }
    case 'message.removed':
    case 'message.consumed':
      return takeFromInbox(core, event.messageId)
  }
}

/** Removes a message; also called when its `userMessage` item completes, as a crash may cut the write in between. */
export function takeFromInbox(core: Core, messageId: MessageId): Core {
  if (!core.inbox.some((message) => message.messageId === messageId)) return core
  const inbox = core.inbox.filter((message) => message.messageId !== messageId)
  return { ...core, inbox, inboxPaused: core.inboxPaused && inbox.length > 0 }
}

/** Keeps the first result of a client's key, so that a repeated request gets it instead of running again. */
export function rememberRequest(core: Core, result: RequestResult): Core {
  if (core.requestKeys.some((known) => known.key === result.key)) return core
  return { ...core, requestKeys: [...core.requestKeys.slice(1 - rememberedRequests), result] }
}
