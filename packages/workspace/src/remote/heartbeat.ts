import type { ExecConnection } from './exec-connection.ts'

interface HeartbeatOptions {
  readonly intervalMs: number
  /** Returns true while a process depends on the connection; without one no request is sent. */
  readonly isNeeded: () => boolean
  readonly onSilence: (silentMs: number) => void
}

/** Detects a connection that is dead without being closed, such as a pulled cable, long before TCP does. */
export interface Heartbeat {
  /** Restarts the count of silent intervals; called for every message received. */
  heard(): void
  stop(): void
}

const maxSilentIntervals = 3

export function startHeartbeat(connection: ExecConnection, options: HeartbeatOptions): Heartbeat {
  const { intervalMs, isNeeded, onSilence } = options
  let silentIntervals = 0
  const heard = () => {
    silentIntervals = 0
  }
  const beat = () => {
    if (!isNeeded()) return heard()
    silentIntervals += 1
    if (silentIntervals > maxSilentIntervals) onSilence(silentIntervals * intervalMs)
    else connection.request('environment/info', {}).then(heard, () => undefined)
  }
  const timer = setInterval(beat, intervalMs)
  return { heard, stop: () => clearInterval(timer) }
}
