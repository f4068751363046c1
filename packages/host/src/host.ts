import { createFifoPool, createInputFifoPool } from './channels/fifo-pool.ts'
import type { CommandSpec, RunningCommand, StartOptions } from './run/command.ts'
import { createCrashGuard } from './run/crash-guard.ts'
import { CommandRun } from './run/run-command.ts'
import { type ProcessOptions, ProcessRun, type ProcessSpec, type RunningProcess } from './run/spawn-process.ts'
import { type StreamedProcess, type StreamedProcessSpec, StreamedRun } from './run/spawn-streams.ts'
import { createDescriptorShield } from './system/descriptor-shield.ts'

export interface Host extends AsyncDisposable {
  /** Prepares the start of the first command; optional. Rejects on failure; the command then fails by itself. */
  warmUp(): Promise<void>
  /** Runs a command and captures its output, within limits. Main thread only. Every failure is in the `CommandEnd`. */
  runCommand(spec: CommandSpec, options: StartOptions): RunningCommand
  /** Spawns a process with pipes or a terminal, and delivers its output as it comes. Main thread only. */
  spawnProcess(spec: ProcessSpec, options: ProcessOptions): RunningProcess
  /** Spawns a process with Node streams for stdin, stdout and stderr. Main thread only. */
  spawnStreams(spec: StreamedProcessSpec): StreamedProcess
  /**
   * Starts the process that ends all children when this one is killed; optional, because the first child does it too.
   */
  startGuard(): void
  /** Has the guard, once it is started, remove a file or folder if this process is killed, until the returned function is called. */
  removeWhenKilled(path: string): () => void
  /** Returns the id of the process that kills all children if this process is killed; null while no child has run. */
  guardPid(): number | null
  /** Stops all children and waits for them. A child started later ends at once and is not run. */
  close(): Promise<void>
}

interface HostedChild {
  readonly ended: Promise<unknown>
  shutDown(): void
}

/**
 * Opens a host for the children of one server. Its open FIFOs and guard process do not keep this process alive. `notes`:
 * folder of the notes about reserved names, the `stateFolder` of sandboxes; null writes no notes.
 */
export function openHost({ notes }: { readonly notes: string | null } = { notes: null }): Host {
  const fifos = createFifoPool()
  const inputFifos = createInputFifoPool()
  const guard = createCrashGuard(notes)
  const shield = createDescriptorShield()
  const machinery = { fifos, inputFifos, guard, shield }
  const children = new Set<HostedChild>()
  let closed = false
  const start = (run: { begin(): void }, child: HostedChild) => {
    children.add(child)
    void child.ended.then(() => children.delete(child))
    if (closed) child.shutDown()
    run.begin()
  }
  const close = async () => {
    closed = true
    for (const child of children) child.shutDown()
    await Promise.all([...children].map((child) => child.ended))
    fifos.close()
    inputFifos.close()
    shield.close()
    await guard.close()
  }
  return {
    warmUp() {
      guard.start()
      return fifos.fill()
    },
    runCommand(spec, options) {
      const run = new CommandRun(spec, options, machinery)
      start(run, { ended: run.ended, shutDown: () => run.stop('shutdown') })
      return run
    },
    spawnProcess(spec, options) {
      const run = new ProcessRun(spec, options, machinery)
      const shutDown = () => {
        run.resume()
        run.kill()
      }
      start(run, { ended: run.closed, shutDown })
      return run
    },
    spawnStreams(spec) {
      const run = new StreamedRun(spec, machinery)
      start(run, { ended: run.ended, shutDown: () => void run.stop(0) })
      return run
    },
    startGuard: () => guard.start(),
    removeWhenKilled: (path) => guard.removeWhenKilled(path),
    guardPid: () => guard.pid(),
    close,
    [Symbol.asyncDispose]: close,
  }
}
