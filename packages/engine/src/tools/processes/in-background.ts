import { type CommandSpec, noSandbox, type RunningCommand, type Sandbox, type SandboxLimits } from '@parley/host'
import type { CallOutput, ItemId, ItemOf } from '@parley/protocol'
import { outputForModel, shownOutput } from '../contract/command-output.ts'
import type { ToolPorts } from '../contract/define-tool.ts'
import type { ToolOutcome } from '../contract/tool.ts'
import { tellWhenPrinted } from './await-output.ts'
import { outcomeOf } from './command-outcome.ts'
import type { OutputPattern } from './output-pattern.ts'

/** Options of a command that is started in the background. */
export interface BackgroundStart {
  /** True to give it a terminal. */
  readonly tty: boolean
  /** Time limit in ms, or null. */
  readonly timeoutMs: number | null
  /** Pattern; the model is told of the first line that fits it. Null without a pattern. */
  readonly tellWhen: OutputPattern | null
}

/** Size of terminals in the background. */
const terminalSize = { rows: 40, cols: 120 }

/** Returns a command that can be written to. Output of a dumb terminal is read as lines. */
function withInput<Spec extends CommandSpec>(spec: Spec, { tty, timeoutMs }: BackgroundStart): Spec {
  const limited = timeoutMs === null ? spec : { ...spec, timeoutMs }
  return tty ? { ...limited, input: terminalSize, env: { ...spec.env, TERM: 'dumb' } } : { ...limited, input: 'pipe' }
}

/** Starts a command in the background, and answers its call. */
export async function startInBackground(
  spec: CommandSpec,
  { itemId, sandbox, start }: BackgroundCommand & { readonly start: BackgroundStart },
  ports: ToolPorts,
): Promise<ToolOutcome> {
  // Background output is read from memory; a spool would stay behind when the end is never read.
  const { spool: _spool, ...unspooled } = withInput(spec, start)
  sandbox.exceeded?.addEventListener('abort', () => void ports.background.stop(itemId).catch(() => undefined), {
    once: true,
  })
  const { pid, end } = await ports.background.start(itemId, unspooled, { sandbox })
  if (end !== null) return outcomeOf(end, { output: outputOfNothing, image: null, itemId, stopped: null })
  if (start.tellWhen !== null) tellWhenPrinted(itemId, { pattern: start.tellWhen, sinceByte: 0 }, ports)
  return startedInBackground({ itemId, sandbox, pid }, start)
}

interface BackgroundCommand {
  readonly itemId: ItemId
  readonly sandbox: Sandbox
}

function startedInBackground(
  started: BackgroundCommand & { readonly pid: number | null },
  start: BackgroundStart,
): ToolOutcome {
  const modelText = `Started in the background as process ${started.itemId}${processWords(started)}`
  return { status: 'completed', modelText, fields: { backgroundStart: recordOf(start) } }
}

type StartRecord = NonNullable<ItemOf<'commandExecution'>['backgroundStart']>

function recordOf({ tty, timeoutMs, tellWhen }: BackgroundStart): StartRecord {
  return {
    stdin: tty ? 'terminal' : 'pipe',
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(tellWhen === null ? {} : { tellWhen: tellWhen.text }),
  }
}

interface FollowedCommand {
  readonly itemId: ItemId
  /** Limits that it was started with; null for all rights, and where they are not known. */
  readonly limits: SandboxLimits | null
  /** Options of its start in the background; null for one that was sent there, which has no input and no time limit. */
  readonly start: BackgroundStart | null
  /** Time that it has run. */
  readonly ageMs: number
}

/** Returns the sandbox of a command that an earlier server has started under these limits. */
export function followedSandbox(limits: SandboxLimits | null): Sandbox {
  return { limits, wrap: noSandbox.wrap }
}

/** Goes on with a command in the background that an earlier server has started. Its output comes from the first byte. */
export function followInBackground(
  spec: NamedSpec,
  { itemId, limits, start, ageMs }: FollowedCommand,
  ports: Pick<ToolPorts, 'environment' | 'background' | 'clock' | 'tellPrinted'>,
): void {
  const { spool: _spool, ...unspooled } = start === null ? spec : withInput(spec, start)
  const sandbox = followedSandbox(limits)
  const running = ports.environment.kept.follow(unspooled, { sandbox, ageMs })
  ports.background.adopt(itemId, running, { spec, sandbox })
  const pattern = start?.tellWhen ?? null
  if (pattern !== null) tellWhenPrinted(itemId, { pattern, sinceByte: 0 }, ports)
}

/** Follows a command with a call that an earlier server has not answered, and answers the call. */
export function followStarted(
  spec: NamedSpec,
  { start, ...followed }: FollowedCommand & { readonly start: BackgroundStart },
  ports: ToolPorts,
): ToolOutcome {
  const { itemId, limits } = followed
  followInBackground(spec, { ...followed, start }, ports)
  return startedInBackground({ itemId, sandbox: followedSandbox(limits), pid: null }, start)
}

type NamedSpec = CommandSpec & Required<Pick<CommandSpec, 'name'>>

/** Hands a running command over to the background processes, and answers its call with the output so far. */
export function goOnInBackground(
  running: RunningCommand,
  { spec, sandbox, itemId }: BackgroundCommand & { readonly spec: CommandSpec },
  ports: ToolPorts,
): ToolOutcome {
  const { pid } = ports.background.adopt(itemId, running, { spec, sandbox })
  running.runOn()
  const seen = running.output()
  const sent = `The user sent it to the background; it runs on as process ${itemId}${processWords({ itemId, pid, sandbox })}`
  const soFar =
    seen.totalBytes === 0 ? 'It has written nothing so far.' : `Output so far:\n${outputForModel(seen, itemId)}`
  const fields = { background: true as const, output: shownOutput(seen) }
  return { status: 'completed', modelText: `${sent}\n${soFar}`, fields }
}

/** Returns the model's options for a background process, after its name. */
function processWords({ itemId, pid, sandbox }: BackgroundCommand & { readonly pid: number | null }): string {
  const apart = sandbox.limits === null || sandbox.limits.network ? '' : reachedBy(sandbox)
  return `${pid === null ? '' : ` (pid ${pid})`}. Read its output and wait for it with read_process; all that is kept is read_file "output:${itemId}"; end it with stop_process. It ends with the conversation.${apart}`
}

/** Names the clients that can connect to a server in the sandbox. */
function reachedBy({ sharesLoopback }: Sandbox): string {
  return sharesLoopback === true
    ? ' Commands with the same limits reach a server in it on localhost; the user’s browser does once the user types /forward PORT.'
    : ' Neither other commands nor the user’s browser can connect to it.'
}

const outputOfNothing: CallOutput = { head: '', tail: '', totalBytes: 0, omittedBytes: 0 }
