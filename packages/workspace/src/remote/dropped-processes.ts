import { ConnectionClosedError } from '@parley/rpc'
import type { ExecConnection } from './exec-connection.ts'

/** Processes that nobody follows any more. Each is ended, and what is kept of it dropped, however often the link breaks. */
export interface DroppedProcesses {
  add(processId: string): void
  /** Drops all that the first connection finds, but for these: what an earlier server has started and nobody follows. */
  keepOnly(names: ReadonlySet<string>): void
  /** Called with each new connection: tells what was not told before. */
  connected(connection: ExecConnection): void
}

/** `current` returns the connection; null while there is none. */
export function createDroppedProcesses(current: () => ExecConnection | null): DroppedProcesses {
  const untold = new Set<string>()
  /** Processes that the first connection has found. */
  let inherited: readonly string[] | null = null
  let kept: ReadonlySet<string> | null = null

  async function tell(connection: ExecConnection, processId: string): Promise<void> {
    const requests = [
      connection.request('process/terminate', { processId }),
      connection.request('process/forget', { processId }),
    ]
    const isTold = (await Promise.allSettled(requests)).every(
      (one) => !(one.status === 'rejected' && one.reason instanceof ConnectionClosedError),
    )
    // An exec-server that rejects it, or does not answer, would do so again.
    if (isTold) untold.delete(processId)
  }

  function add(processId: string): void {
    untold.add(processId)
    const connection = current()
    if (connection !== null) void tell(connection, processId)
  }

  function dropStrays(): void {
    if (inherited === null || kept === null) return
    for (const processId of inherited) if (!kept.has(processId)) add(processId)
    inherited = []
  }

  return {
    add,
    keepOnly(names) {
      kept = names
      dropStrays()
    },
    connected(connection) {
      for (const processId of untold) void tell(connection, processId)
      inherited ??= [...connection.processes.keys()]
      dropStrays()
    },
  }
}
