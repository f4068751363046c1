import { ConnectionClosedError } from '@parley/rpc'
import type { ExecConnection } from './exec-connection.ts'

/**
 * Processes that no caller follows any more. Each is ended, and its kept output dropped, however often the link breaks.
 */
export interface DroppedProcesses {
  add(processId: string): void
  /** Drops the processes that the first connection finds, started by an earlier server, except these. */
  keepOnly(names: ReadonlySet<string>): void
  /** Called with each new connection: sends the requests that failed before. */
  connected(connection: ExecConnection): void
}

/** `current` returns the connection; null without one. */
export function createDroppedProcesses(current: () => ExecConnection | null): DroppedProcesses {
  const unended = new Set<string>()
  /** Processes found by the first connection. */
  let inherited: readonly string[] | null = null
  let kept: ReadonlySet<string> | null = null

  async function endProcess(connection: ExecConnection, processId: string): Promise<void> {
    const requests = [
      connection.request('process/terminate', { processId }),
      connection.request('process/forget', { processId }),
    ]
    const isEnded = (await Promise.allSettled(requests)).every(
      (one) => !(one.status === 'rejected' && one.reason instanceof ConnectionClosedError),
    )
    // An exec-server that rejects it, or does not answer, would do so again.
    if (isEnded) unended.delete(processId)
  }

  function add(processId: string): void {
    unended.add(processId)
    const connection = current()
    if (connection !== null) void endProcess(connection, processId)
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
      for (const processId of unended) void endProcess(connection, processId)
      inherited ??= [...connection.processes.keys()]
      dropStrays()
    },
  }
}
