import { limitDefaults } from '@parley/config/defaults'
import {
  type CommandEnd,
  findAndWatchRepositories,
  noSandbox,
  type OutputListener,
  type RunningCommand,
} from '@parley/host'
import type { Actor, CallOutput, Failure, ItemId, ItemOf, RequestKey } from '@parley/protocol'
import { clipForModel, exitWords } from '@parley/text'
import { realOrGiven } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import { createOutputReporter } from '../conversation/output-reporter.ts'
import { startedBefore } from '../conversation/request-replay.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { invalidParam } from '../replies/rejection.ts'
import { binaryWords, keepOutput } from '../tools/contract/command-output.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import { type AbortReason, processStop } from '../tools/contract/tool.ts'
import type { ReadableProcesses } from '../tools/processes/await-output.ts'
import { missedVariables, type ToldVariables } from '../tools/processes/failure-hints.ts'
import { lostHeading } from '../tools/processes/process-end.ts'
import { commandSpec, heldFrom } from '../tools/run-shell-command.ts'

type ShellItem = ItemOf<'shellCommand'>

interface ShellRequest {
  readonly command: string
  readonly requestKey?: RequestKey
}

/** Runs the user's `!` commands outside any sandbox and records them. */
export interface ShellRunner {
  /** Starts a command. The same `requestKey` again returns the first result and starts nothing. */
  run(asked: ShellRequest, by: Actor): { itemId: ItemId; seq: number }
  /** Stops the named command, else all running ones; returns false when no command runs. */
  interrupt(itemId?: ItemId): boolean
  running(): boolean
  /** Goes on with a command that an earlier server has started `ageMs` ago, and records its end. Resolves once it is followed. */
  follow(item: ShellItem, ageMs: number): Promise<void>
  /** Output of the commands that run and of the last that ended. */
  readonly processes: ReadableProcesses & { end(itemId: ItemId): CommandEnd | null }
  /** Stops running commands, or leaves them where another server goes on with them. Resolves when their ends are recorded. */
  shutDown(reason: 'shutdown' | 'handOver'): Promise<void>
}

interface ShellParts {
  readonly conversation: Conversation
  readonly ports: ToolPorts
  readonly newItemId: () => ItemId
  readonly onFault: (fault: unknown) => void
}

interface Running {
  readonly stop: AbortController
  readonly recorded: Promise<void>
  /** Process; null until it has been started. */
  child: RunningCommand | null
}

/** Number of ended commands that can still be read like processes. */
const maxEnded = 8

export function createShellRunner(parts: ShellParts): ShellRunner {
  const running = new Map<ItemId, Running>()
  const ended = new Map<ItemId, CommandEnd>()
  const told: ToldVariables = new Set()

  function keepEnd(itemId: ItemId, end: CommandEnd): void {
    ended.set(itemId, end)
    const [oldest] = ended.keys()
    if (ended.size > maxEnded && oldest !== undefined) ended.delete(oldest)
  }

  function stopAll(reason: AbortReason): void {
    for (const { stop } of running.values()) stop.abort(reason)
  }

  function stopOne(itemId: ItemId): boolean {
    const command = running.get(itemId)
    command?.stop.abort('interrupted')
    return command !== undefined
  }

  function begin(item: ShellItem, start: CommandStart): Promise<void> {
    const stop = new AbortController()
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const onStart = (child: RunningCommand) => {
      const started = running.get(item.id)
      if (started !== undefined) started.child = child
      void child.ended.then((end) => keepEnd(item.id, end))
      resolve()
    }
    const recorded = runItem(item, { signal: stop.signal, start, onStart, told }, parts)
      .catch(parts.onFault)
      .finally(() => running.delete(item.id))
    running.set(item.id, { stop, recorded, child: null })
    return begun
  }

  return {
    run(asked, by) {
      const { conversation, newItemId } = parts
      const known = startedBefore(conversation.state, asked.requestKey)
      if (known !== null) return { itemId: known.itemId, seq: known.seq }
      assertRunnable(asked.command)
      const item = startedItem(newItemId(), { ...asked, cwd: conversation.state.core.meta.cwd, by })
      const { seq } = conversation.record({ type: 'item.started', item })
      void begin(item, startCommand)
      return { itemId: item.id, seq }
    },
    follow: (item, ageMs) => begin(item, (started, onOutput) => followCommand(started, { onOutput, ageMs }, parts)),
    interrupt(itemId) {
      if (itemId !== undefined) return stopOne(itemId)
      stopAll('interrupted')
      return running.size > 0
    },
    running: () => running.size > 0,
    processes: {
      output: (itemId) => ended.get(itemId) ?? running.get(itemId)?.child?.output() ?? null,
      listen: (itemId, onOutput) => running.get(itemId)?.child?.listen(onOutput) ?? null,
      ended: (itemId) => running.get(itemId)?.child?.ended ?? null,
      end: (itemId) => ended.get(itemId) ?? null,
    },
    async shutDown(reason) {
      stopAll(reason)
      await Promise.all([...running.values()].map(({ recorded }) => recorded))
    },
  }
}

/** Bytes of a command: the longest argument of Linux; the log holds it four times. */
const maxCommandBytes = 128 * 1024 - 1

function assertRunnable(command: string): void {
  const sizeBytes = Buffer.byteLength(command)
  if (sizeBytes <= maxCommandBytes) return
  throw invalidParam(
    'command',
    `A command may have ${maxCommandBytes} bytes, this one has ${sizeBytes}. Put it into a script and run that.`,
  )
}

function startedItem(id: ItemId, asked: ShellRequest & { readonly cwd: string; readonly by: Actor }): ShellItem {
  const { command, cwd, by, requestKey } = asked
  const title = `! ${command.split('\n', 1)[0]}`
  const key = requestKey === undefined ? {} : { requestKey }
  return { id, type: 'shellCommand', status: 'inProgress', title, text: command, command, cwd, by, ...key }
}

/** Starts the command of an item, or goes on with it. */
type CommandStart = (
  item: ShellItem,
  onOutput: OutputListener,
  parts: ShellParts,
) => RunningCommand | Promise<RunningCommand>

interface RunOptions {
  readonly signal: AbortSignal
  readonly start: CommandStart
  readonly onStart: (child: RunningCommand) => void
  readonly told: ToldVariables
}

/** Runs a command and records its end, unless it is left for the next server. */
async function runItem(item: ShellItem, options: RunOptions, parts: ShellParts): Promise<void> {
  const { signal, start, onStart, told } = options
  const { conversation, ports } = parts
  const open = conversation.state.core.open[item.id]
  const seenBytes = open?.progress?.totalBytes ?? Buffer.byteLength(open?.output ?? '')
  const reporter = createOutputReporter(conversation, ports.clock, { itemId: item.id, seenBytes })
  const child = await start(item, reporter.report, parts)
  onStart(child)
  const stop = () => child.stop(processStop(signal.reason))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const end = await child.ended
  reporter.stop()
  if (end.reason === 'left') return
  const output = await keepOutput(end, conversation.sideFiles)
  const held = () => heldFrom(ports, workspaceOf(conversation.state).roots)
  const missed = missedVariables(end, { line: item.command, held }, told)
  const finished = finishedItem(item, { end, output, missed })
  const notices = (end.exchanged ?? []).map(({ text: title }) =>
    noticeItem(parts.newItemId(), { level: 'warning', code: 'guardExchanged', title }),
  )
  await conversation.storageRetry.persist(() =>
    conversation.recordAll([finished, ...notices].map((ended) => ({ type: 'item.completed', item: ended }))),
  )
}

/** Starts a command after its start is on disk. */
async function startCommand(item: ShellItem, onOutput: OutputListener, parts: ShellParts): Promise<RunningCommand> {
  const { conversation, ports } = parts
  await conversation.synced()
  conversation.sideFiles.prepare()
  await conversation.mayAct()
  const { environment } = ports
  const { roots } = workspaceOf(conversation.state)
  // The command has all rights, so nothing is moved away: a notice names the files that may start something later.
  const release =
    environment.name === null
      ? await findAndWatchRepositories(roots.map(realOrGiven), {
          home: environment.home,
          env: environment.env,
          moves: false,
        })
      : () => []
  return environment.commands.runCommand(specOf(item, parts), {
    sandbox: { limits: null, wrap: noSandbox.wrap, release },
    onOutput,
  })
}

function followCommand(
  item: ShellItem,
  options: { readonly onOutput: OutputListener; readonly ageMs: number },
  parts: ShellParts,
): RunningCommand {
  parts.conversation.sideFiles.prepare()
  return parts.ports.environment.kept.follow(specOf(item, parts), { sandbox: noSandbox, ...options })
}

function specOf({ id: itemId, command, cwd }: ShellItem, { conversation, ports }: ShellParts) {
  const { folder } = conversation.sideFiles
  const { roots } = workspaceOf(conversation.state)
  return commandSpec({ argv: [ports.environment.shell, '-c', command], cwd, itemId, roots, folder }, ports)
}

interface Finished {
  readonly end: CommandEnd
  readonly output: CallOutput
  /** Variables that the command missed, or null. */
  readonly missed: Failure | null
}

function finishedItem(item: ShellItem, { end, output, missed }: Finished): ShellItem {
  const failure = failureOf(end)
  const kept = failure ?? missed
  const heading = failure?.message ?? (end.signal === null ? exitWords(end.exitCode) : `killed by ${end.signal}`)
  const said = (end.exchanged ?? []).map(({ text }) => `\n(${text})`).join('')
  const isText = output.binary === undefined
  const shown = isText
    ? clipForModel(output, `read_file "output:${item.id}" shows the rest`, limitDefaults.modelOutputBytes)
    : binaryWords(output)
  return {
    ...item,
    status: statusOf(end),
    exitCode: end.exitCode,
    durationMs: Math.round(end.durationMs),
    output,
    ...(kept === null ? {} : { failure: kept }),
    modelText: `I ran this myself: ${item.command}\n${heading}\n${shown}${said}`,
  }
}

/** Returns the failure of a command that ended without exit code or signal. */
function failureOf(end: CommandEnd): Failure | null {
  if (end.spawnError !== undefined)
    return { code: 'spawnFailed', message: `could not start: ${end.spawnError.message}` }
  const lost = lostHeading(end)
  return lost === null ? null : { code: 'endUnknown', message: lost }
}

function statusOf({ reason, exitCode }: CommandEnd): ShellItem['status'] {
  if (reason === 'spawnFailed') return 'failed'
  if (reason === 'lost') return 'unknown'
  if (reason !== 'exited') return 'interrupted'
  return exitCode === 0 ? 'completed' : 'failed'
}
