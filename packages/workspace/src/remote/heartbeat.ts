import type { ExecConnection } from './exec-connection.ts'

export interface HeartbeatOptions {
  readonly intervalMs: number
  /** Whether anybody waits for something that may never come. */
  readonly isNeeded: () => boolean
  readonly onSilence: (silentMs: number) => void
}

/** Notices a link that is dead without a word, such as a pulled cable, long before the network would say so. */
export interface Heartbeat {
  /** A sign of life. */
  heard(): void
  stop(): void
}

const maxSilentIntervals = 3

export function startHeartbeat(
  connection: ExecConnection,
  { intervalMs: beatMs, isNeeded, onSilence }: HeartbeatOptions,
): Heartbeat {
  let silentBeats = 0
  const heard = () => {
    silentBeats = 0
  }
  const beat = () => {
    if (!isNeeded()) return heard()
    silentBeats += 1
    if (silentBeats > maxSilentIntervals) onSilence(silentBeats * beatMs)
    else connection.request('environment/info', {}).then(heard, () => undefined)
  }
  const timer = setInterval(beat, beatMs)
  return { heard, stop: () => clearInterval(timer) }
}
