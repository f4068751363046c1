import type { ProcessInput } from '../channels/channels.ts'
import type { OutputListener } from '../output/captured-output.ts'
import { type OutputSlice, type OutputSnapshot, sliceOutput } from '../output/output-window.ts'
import type { SandboxLimits } from '../sandbox/sandbox.ts'
import type { CommandEnd, CommandSpec, RunningCommand, StartOptions } from './command.ts'
import type { StopReason } from './stop-ladder.ts'

export interface BackgroundProcess {
  readonly id: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly pid: number | null
  readonly totalBytes: number
  /** Limits it was started with; null without limits. */
  readonly limits: SandboxLimits | null
  /** End of the process; null while it runs. */
  readonly end: CommandEnd | null
}

export interface BackgroundProcesses {
  /** Starts a command under an id of the caller's. Resolves when it runs or has ended; rejects for a known id. */
  start(id: string, spec: CommandSpec, options: StartOptions): Promise<BackgroundProcess>
  /** Takes over a running command. Throws `RangeError` for a known id. */
  adopt(id: string, running: RunningCommand, started: StartedCommand): BackgroundProcess
  /** Lists all that run and the last 32 that ended, oldest first. */
  list(): BackgroundProcess[]
  /** Returns output from memory, by default the last 16 KiB; the spool file has all. Null for an unknown id. */
  read(id: string, range?: { readonly fromByte?: number; readonly maxBytes?: number }): OutputSlice | null
  /** Returns the first and last output with its counts; null for an unknown id. */
  output(id: string): OutputSnapshot | null
  /** Adds a listener to the output from now on, and returns a function that takes it away; null for an unknown id. */
  listen(id: string, onOutput: OutputListener): (() => void) | null
  /** Returns the way to the stdin of a process; null for an unknown id. */
  input(id: string): ProcessInput | null
  /** Resolves with the end of a process; null for an unknown id. */
  ended(id: string): Promise<CommandEnd> | null
  /** Stops a process and resolves with its end; null for an unknown id. */
  stop(id: string, reason?: StopReason): Promise<CommandEnd | null>
  stopAll(reason: StopReason): Promise<void>
}

/** Command and options that a running command was started with. */
interface StartedCommand extends Pick<StartOptions, 'sandbox'> {
  readonly spec: Pick<CommandSpec, 'argv' | 'cwd'>
}

export interface BackgroundPorts {
  runCommand(spec: CommandSpec, options: StartOptions): RunningCommand
  /** Called once for each started process, however it ended. Must not throw. */
  onEnd(id: string, end: CommandEnd): void
}

/** Number of ended processes that can still be listed and read. */
const maxEnded = 32
const defaultReadBytes = 16 * 1024

interface ListedProcess extends Pick<StartedCommand, 'spec'> {
  readonly run: RunningCommand
  readonly limits: SandboxLimits | null
  end: CommandEnd | null
}

/** Creates a list of commands that run beside the conversation until they end or are stopped. */
export function createBackgroundProcesses(ports: BackgroundPorts): BackgroundProcesses {
  const entries = new Map<string, ListedProcess>()
  const settle = (id: string, entry: ListedProcess, end: CommandEnd) => {
    entry.end = end
    const ended = [...entries].filter(([, other]) => other.end !== null)
    for (const [oldId] of ended.slice(0, Math.max(0, ended.length - maxEnded))) entries.delete(oldId)
    ports.onEnd(id, end)
  }
  const stop = async (id: string, reason: StopReason = 'interrupted') => {
    const entry = entries.get(id)
    entry?.run.stop(reason)
    return (await entry?.run.ended) ?? null
  }
  const add = (id: string, run: () => RunningCommand, { spec, sandbox }: StartedCommand) => {
    if (entries.has(id)) throw new RangeError(`A background process ${id} exists`)
    const entry: ListedProcess = { spec, run: run(), limits: sandbox.limits, end: null }
    entries.set(id, entry)
    void entry.run.ended.then((end) => settle(id, entry, end))
    return entry
  }
  return {
    async start(id, spec, options) {
      const entry = add(id, () => ports.runCommand(spec, options), { spec, ...options })
      await entry.run.started
      return describe(id, entry)
    },
    adopt: (id, running, started) =>
      describe(
        id,
        add(id, () => running, started),
      ),
    list: () => [...entries].map(([id, entry]) => describe(id, entry)),
    read(id, range = {}) {
      const entry = entries.get(id)
      if (entry === undefined) return null
      return sliceOutput(entry.end ?? entry.run.output(), range.maxBytes ?? defaultReadBytes, range.fromByte)
    },
    output(id) {
      const entry = entries.get(id)
      return entry === undefined ? null : (entry.end ?? entry.run.output())
    },
    listen: (id, onOutput) => entries.get(id)?.run.listen(onOutput) ?? null,
    input: (id) => entries.get(id)?.run.input ?? null,
    ended: (id) => entries.get(id)?.run.ended ?? null,
    stop,
    async stopAll(reason) {
      await Promise.all([...entries.keys()].map((id) => stop(id, reason)))
    },
  }
}

function describe(id: string, { spec, run, limits, end }: ListedProcess): BackgroundProcess {
  const totalBytes = (end ?? run.output()).totalBytes
  return { id, argv: spec.argv, cwd: spec.cwd, pid: run.pid, totalBytes, limits, end }
}
