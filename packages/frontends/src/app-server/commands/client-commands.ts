import type { StartCommand, StartedCommand } from '@parley/engine'
import { awakeTimeout, exitCodeOf, type OutputStream, type RunningProcess } from '@parley/host'
import type { Peer } from '@parley/rpc'
import * as z from 'zod'
import { codexError, codexFailure, codexInvalidParams, codexOverloaded } from '../wire/codex-error.ts'
import type { Notify } from '../wire/codex-transport.ts'
import type { CodexParams } from '../wire/params.ts'
import { type CommandRequest, readCommandRequest, readSize } from './command-request.ts'

/** Commands of one client that may run at the same time. */
const mostCommands = 64
/** Unsent bytes above which the output of a command waits. */
const stalledBytes = 1024 * 1024
/** Unwritten bytes above which input is rejected. */
const maxUnwrittenBytes = 16 * 1024 * 1024
/** Exit code of a command that ran into its time limit. */
const timedOutCode = 124
const endOfInput = Buffer.from([4])

/** Commands that one client runs without a thread, by the names it gives them. */
export interface ClientCommands {
  /** Runs a command and resolves with its exit code and the output that was not sent as it came. */
  run(params: CodexParams<'commandExec'>): Promise<CommandResult>
  /** Resolves when the system has taken the bytes. */
  write(params: CodexParams<'commandWrite'>): Promise<object>
  resize(params: CodexParams<'commandResize'>): Promise<object>
  terminate(params: CodexParams<'commandTerminate'>): object
  /** Kills all commands and resolves when they are gone. */
  close(): Promise<void>
}

interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

interface CommandLink {
  readonly peer: () => Pick<Peer, 'bufferedBytes' | 'drained'>
  readonly tell: Notify
}

/** Command from its request to its end. */
interface CurrentCommand {
  readonly request: CommandRequest
  /** Resolves with the process once it runs; null for one that was not started. */
  readonly started: Promise<RunningProcess | null>
  kill(): void
}

export function createClientCommands(start: StartCommand, link: CommandLink): ClientCommands {
  const current = new Map<CurrentCommand, Promise<unknown>>()

  function find(processId: string | null): CurrentCommand | undefined {
    return processId === null ? undefined : [...current.keys()].find(({ request }) => request.processId === processId)
  }

  function named(processId: string): CurrentCommand {
    const command = find(processId)
    if (command === undefined) throw unknownProcess(processId)
    return command
  }

  return {
    async run(params) {
      const request = readCommandRequest(params)
      const { processId } = request
      if (find(processId) !== undefined)
        throw codexError(`duplicate active command/exec process id: ${JSON.stringify(processId)}`)
      if (current.size >= mostCommands) throw codexOverloaded()
      const { command, result } = runCommand(request, start, link)
      current.set(command, result)
      return result.finally(() => current.delete(command))
    },
    async write({ processId, deltaBase64, closeStdin }) {
      if (deltaBase64 == null && closeStdin !== true)
        throw codexInvalidParams('command/exec/write requires deltaBase64 or closeStdin')
      const command = named(processId)
      const bytes = bytesIn(deltaBase64 ?? '')
      const process = await inputOf(command, processId)
      const isTerminal = command.request.command.terminal !== null
      const all = isTerminal && closeStdin === true ? Buffer.concat([bytes, endOfInput]) : bytes
      const taken = process.write(all)
      if (closeStdin === true && !isTerminal) process.closeStdin()
      await Promise.race([taken, process.closed])
      return {}
    },
    async resize({ processId, size }) {
      const wanted = readSize(size)
      const process = await named(processId).started
      if (process === null) throw unknownProcess(processId)
      if (!process.resize(wanted)) throw codexError('failed to resize PTY: process is not attached to a PTY')
      return {}
    },
    terminate({ processId }) {
      named(processId).kill()
      return {}
    },
    async close() {
      for (const command of current.keys()) command.kill()
      await Promise.allSettled(current.values())
    },
  }
}

function notStarted({ kind, reason }: Exclude<StartedCommand, { kind: 'running' }>): Error {
  return kind === 'refused' ? codexError(`command/exec: ${reason}`) : codexFailure(`failed to spawn command: ${reason}`)
}

function unknownProcess(processId: string): Error {
  return codexError(`no active command/exec for process id ${JSON.stringify(processId)}`)
}

function bytesIn(base64: string): Buffer {
  if (!z.base64().safeParse(base64).success) throw codexInvalidParams('invalid deltaBase64: not base64')
  return Buffer.from(base64, 'base64')
}

/** Resolves with a process that takes input and has room for more. */
async function inputOf({ request, started }: CurrentCommand, processId: string): Promise<RunningProcess> {
  const { terminal, pipeStdin } = request.command
  if (terminal === null && !pipeStdin) throw codexError('stdin streaming is not enabled for this command/exec')
  const process = await started
  if (process === null) throw unknownProcess(processId)
  if (process.unwrittenBytes > maxUnwrittenBytes)
    throw codexError('the command does not read its input; wait for the answers to earlier writes')
  return process
}

function runCommand(request: CommandRequest, start: StartCommand, link: CommandLink) {
  const started = Promise.withResolvers<RunningProcess | null>()
  let process: RunningProcess | null = null
  let isKilled = false
  const kill = () => {
    isKilled = true
    process?.resume()
    process?.kill()
  }
  const output = createCommandOutput(request, ({ stream, bytes, capReached }) => {
    const { processId } = request
    link.tell('command/exec/outputDelta', { processId, stream, deltaBase64: bytes.toString('base64'), capReached })
    if (link.peer().bufferedBytes > stalledBytes) void waitForLink()
  })

  /** Lets the command wait until the client has read all sent output. */
  async function waitForLink(): Promise<void> {
    if (isKilled) return
    process?.pause()
    await link.peer().drained()
    process?.resume()
  }

  async function run(): Promise<CommandResult> {
    const outcome = await start({ ...request.command, onOutput: output.take })
    if (outcome.kind !== 'running') throw notStarted(outcome)
    process = outcome.process
    started.resolve(process)
    if (isKilled) kill()
    let isTimedOut = false
    const onTimeout = () => {
      isTimedOut = true
      kill()
    }
    const limit = request.timeoutMs === null ? null : awakeTimeout(request.timeoutMs, onTimeout)
    const exit = await outcome.exit
    limit?.stop()
    const exitCode = isTimedOut ? timedOutCode : exitCodeOf(exit)
    return { exitCode, stdout: output.kept('stdout'), stderr: output.kept('stderr') }
  }

  const result = run().finally(() => started.resolve(null))
  return { command: { request, started: started.promise, kill }, result }
}

type ShownStream = 'stdout' | 'stderr'

/** Part of a command's output that the client gets. `capReached`: no more of this stream follows. */
interface Delta {
  readonly stream: ShownStream
  readonly bytes: Buffer
  readonly capReached: boolean
}

/** Output of one command on its way to the client. */
interface CommandOutput {
  take(stream: OutputStream, chunk: Buffer): void
  /** Returns the kept part of a stream, as text; empty for a stream that was sent as it came. */
  kept(stream: ShownStream): string
}

/** Cuts each stream at the cap of the request, and sends the rest or keeps it for the answer. */
function createCommandOutput(
  { capBytes, streamsOutput }: Pick<CommandRequest, 'capBytes' | 'streamsOutput'>,
  send: (delta: Delta) => void,
): CommandOutput {
  const left = { stdout: capBytes, stderr: capBytes }
  const chunks: Record<ShownStream, Buffer[]> = { stdout: [], stderr: [] }
  return {
    take(from, chunk) {
      // A terminal has one stream.
      const stream = from === 'stderr' ? 'stderr' : 'stdout'
      const room = left[stream]
      if (room === 0) return
      const bytes = room === null ? chunk : chunk.subarray(0, room)
      if (room !== null) left[stream] = room - bytes.length
      if (streamsOutput) send({ stream, bytes, capReached: left[stream] === 0 })
      else chunks[stream].push(Buffer.from(bytes))
    },
    kept: (stream) => Buffer.concat(chunks[stream]).toString('utf8'),
  }
}
