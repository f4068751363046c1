import type { Client } from './connection/client.ts'
import { ClientError } from './connection/errors.ts'
import { watchConnection } from './connection/watch-connection.ts'
import type { ConversationStore } from './conversation/conversation-store.ts'
import type { LastingClient } from './team/lasting-client.ts'

/** Facts on the server that has a conversation. */
export interface ServerFacts {
  readonly attached: boolean
  readonly serverPid: number | null
}

/** Connection that a conversation is followed on. */
export interface Way {
  readonly client: Client
  /** Aborts with the reason when the connection is gone. */
  readonly lost: AbortSignal
  readonly facts: ServerFacts
  /** The same client where it goes on with other servers. */
  readonly lasting?: LastingClient
}

/** Returns the way of a conversation that goes from server to server. `closing` aborts before it is closed here. */
export function wayThrough(lasting: LastingClient, closing: AbortSignal): Omit<Way, 'facts'> {
  const { client, signal: lost } = watchConnection(lasting, closing, async () => lossOf(lasting))
  return { client, lost, lasting }
}

/** Streams anew from the last event after each change of the server. */
export function followMoves(store: ConversationStore, { client, lasting }: Way): void {
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
  const text = `The conversation cannot be gone on with: ${failure?.message ?? 'it was closed.'}`
  return new ClientError('connectionClosed', text, failure)
}
