import type { SessionUpdate } from '@agentclientprotocol/sdk'

/** Updates such as the mode: only the newest of each kind counts. */
export interface LatestUpdates {
  /** Sends every update that differs from the client's values, one at a time. */
  send(): void
}

interface LatestPorts {
  /** Updates that the client has. */
  readonly known: readonly SessionUpdate[]
  /** Returns the updates that hold now, one of each kind. */
  readonly read: () => readonly SessionUpdate[]
  readonly send: (update: SessionUpdate) => Promise<void>
}

/** A client that does not read gets the newest values later, so that nothing waits for it in memory. */
export function latestUpdates({ known, read, send }: LatestPorts): LatestUpdates {
  const sent = new Map(known.map((update) => [update.sessionUpdate, JSON.stringify(update)]))
  let isSending = false

  function nextChanged(): SessionUpdate | undefined {
    const changed = read().find((update) => sent.get(update.sessionUpdate) !== JSON.stringify(update))
    if (changed !== undefined) sent.set(changed.sessionUpdate, JSON.stringify(changed))
    return changed
  }

  async function sendChanged(): Promise<void> {
    if (isSending) return
    isSending = true
    try {
      for (let update = nextChanged(); update !== undefined; update = nextChanged()) await send(update)
    } finally {
      isSending = false
    }
  }

  // A client that is gone gets nothing more.
  return { send: () => void sendChanged().catch(() => undefined) }
}
