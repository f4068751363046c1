import { randomUUID } from 'node:crypto'
import type { ApprovalId, ClientId, ConversationId, ItemId, MessageId, TurnId } from '@parley/protocol'
import { v7 } from 'uuid'

/** Source of time; tests replace it. */
export interface Clock {
  /** Returns wall time in ms since the epoch; a label, never used for order. */
  now(): number
  /** Returns monotonic time in ms, for durations. */
  elapsed(): number
  /** Resolves after `delayMs`, or at once when the signal fires; never rejects. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, delayMs)
      signal.addEventListener('abort', done)
    }),
}

/** Source of every id. A model's own call ids are only wire fields, because providers repeat them. */
export interface Ids {
  /** Returns a UUIDv7: it sorts by creation, and its date gives the path of the log file. */
  conversation(): ConversationId
  turn(): TurnId
  item(): ItemId
  approval(): ApprovalId
  message(): MessageId
  client(): ClientId
}

export const randomIds: Ids = {
  conversation: () => v7(),
  turn: () => `t-${tail()}`,
  item: () => `i-${tail()}`,
  approval: () => `a-${tail()}`,
  message: () => randomUUID(),
  client: () => `c-${tail()}`,
}

/** Returns 48 random bits: unique within a conversation, short enough to read. */
function tail(): string {
  return randomUUID().slice(-12)
}
