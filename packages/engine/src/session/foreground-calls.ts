import type { ItemId } from '@parley/protocol'

/** Calls that run in the foreground of their turn, until they end or a user sends them to the background. */
export interface ForegroundCalls {
  enter(itemId: ItemId): ForegroundCall
  /** Sends a call to the background. Returns false for one that does not run here. */
  send(itemId: ItemId): boolean
}

interface ForegroundCall {
  /** Aborts when a user sends the call to the background. */
  readonly sent: AbortSignal
  leave(): void
}

export function createForegroundCalls(): ForegroundCalls {
  const calls = new Map<ItemId, AbortController>()
  return {
    enter(itemId) {
      const call = new AbortController()
      calls.set(itemId, call)
      return { sent: call.signal, leave: () => void calls.delete(itemId) }
    },
    send(itemId) {
      const call = calls.get(itemId)
      call?.abort()
      return call !== undefined
    },
  }
}
