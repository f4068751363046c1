import type { ExecConnection } from './exec-connection.ts'

/** Detects a connection that is dead without being closed, such as a pulled cable, long before TCP does. */
export interface Heartbeat {
  /** Restarts the count of silent intervals; called for every message received. */
  heard(): void
  stop(): void
}

const maxSilentIntervals = 3

/** Starts the heartbeat. `isNeeded`: true while a process depends on the connection; without one no request is sent. */
export function startHeartbeat(
  connection: ExecConnection,
  intervalMs: number,
  { isNeeded, onSilence }: { isNeeded(): boolean; onSilence(silentMs: number): void },
): Heartbeat {
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
