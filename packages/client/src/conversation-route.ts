import type { Client } from './connection/client.ts'
import { ClientError } from './connection/errors.ts'
import { watchConnection } from './connection/watch-connection.ts'
import type { ConversationStore } from './conversation/conversation-store.ts'
import type { LastingClient } from './team/lasting-client.ts'

export interface ServerFacts {
  readonly attached: boolean
  readonly serverPid: number | null
}

/** Connection over which a conversation is followed. */
export interface ConversationRoute {
  readonly client: Client
  /** Aborts with the reason when the connection is gone. */
  readonly lost: AbortSignal
  readonly facts: ServerFacts
  /** The same client, where the conversation moves from server to server. */
  readonly lasting?: LastingClient
}

/** Returns the route of a conversation that moves from server to server. `closing` is aborted first where this side closes the conversation. */
export function routeThrough(lasting: LastingClient, closing: AbortSignal): Omit<ConversationRoute, 'facts'> {
  const { client, signal: lost } = watchConnection(lasting, closing, async () => lossOf(lasting))
  return { client, lost, lasting }
}

/** Streams again from the last event after each change of the server. */
export function followMoves(store: ConversationStore, { client, lasting }: ConversationRoute): void {
  lasting?.onLink((link) => {
    if (link.kind !== 'up') return
    store.moveTo(client).catch((error: unknown) => {
      lasting.fail(error instanceof Error ? error : new Error(String(error)))
    })
  })
}

/** Returns why a conversation of several servers cannot be followed any more. */
function lossOf({ failure }: LastingClient): ClientError {
  if (failure instanceof ClientError) return failure
  const text = `The conversation cannot continue: ${failure?.message ?? 'it was closed.'}`
  return new ClientError('connectionClosed', text, failure)
}
