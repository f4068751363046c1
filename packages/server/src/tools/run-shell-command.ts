import { join } from 'node:path'
import { type CommandSpec, commandEnv, createMark, noSandbox, type RunningCommand, type Sandbox } from '@parley/host'
import type { ItemId, Output } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { inlineBytes, keepImage, keepOutput, outputForModel, shownOutput, spoolName } from './command-output.ts'
import type { ToolPorts } from './define-tool.ts'
import { tellWhenPrinted } from './processes/await-output.ts'
import { outcomeOf, sandboxFailed } from './processes/command-outcome.ts'
import type { OutputPattern } from './processes/output-pattern.ts'
import { notStarted, type ToolContext, type ToolOutcome, unlessAborted } from './tool.ts'

export const defaultTimeoutMs = 120_000

/** Options of a command that is started in the background. */
export interface BackgroundStart {
  /** True to give it a terminal. */
  readonly tty: boolean
  /** Time limit; null for none. */
  readonly timeoutMs: number | null
  /** Pattern whose first line the model is told of; null for none. */
  readonly tellWhen: OutputPattern | null
}

interface ShellRun {
  readonly argv: readonly string[]
  /** Real path. */
  readonly cwd: string
  /** Identity of the folder when the call was planned; absent where it is not known. */
  readonly cwdIdentity?: string
  /** Options in the background; null for the foreground. */
  readonly background: BackgroundStart | null
  /** Time limit in the foreground. */
  readonly timeoutMs: number
}

export async function runShellCommand(
  { argv, cwd, cwdIdentity, background, timeoutMs }: ShellRun,
  context: ToolContext,
  ports: ToolPorts,
): Promise<ToolOutcome> {
  const { environment } = ports
  context.sideFiles.prepare()
  const planned = commandSpec({ ...context, argv, cwd, folder: context.sideFiles.folder }, ports)
  const spec = cwdIdentity === undefined ? planned : { ...planned, cwdIdentity }
  const sandbox = await readySandbox(context)
  if ('problem' in sandbox) return sandboxFailed(sandbox.problem)
  if (context.signal.aborted) {
    sandbox.release?.()
    return notStarted
  }
  if (context.narrowed.aborted) {
    sandbox.release?.()
    return { ...beyondLimits, modelText: `Not run: ${beyondLimits.failure.message}` }
  }
  if (background !== null) return startInBackground(spec, { itemId: context.itemId, sandbox, start: background }, ports)
  const running = environment.commands.runCommand({ ...spec, timeoutMs }, { sandbox, onOutput: reportTo(context) })
  return awaitCommand({ running, spec, sandbox }, context, ports)
}

/** Goes on with a command of an earlier server, which has run for `ageMs`. */
export function followShellCommand(
  { argv, cwd, timeoutMs, ageMs }: Pick<ShellRun, 'argv' | 'cwd' | 'timeoutMs'> & { readonly ageMs: number },
  context: ToolContext,
  ports: ToolPorts,
): Promise<ToolOutcome> {
  context.sideFiles.prepare()
  const spec = commandSpec({ ...context, argv, cwd, folder: context.sideFiles.folder }, ports)
  const options = { sandbox: noSandbox, onOutput: reportTo(context), ageMs }
  const running = ports.environment.kept.follow({ ...spec, timeoutMs }, options)
  return awaitCommand({ running, spec, sandbox: noSandbox }, context, ports)
}

function reportTo({ sentToBackground, report }: ToolContext): (chunk: Buffer) => void {
  return (chunk) => {
    if (!sentToBackground.aborted) report(chunk)
  }
}

interface AwaitedCommand {
  readonly running: RunningCommand
  readonly spec: CommandSpec
  readonly sandbox: Sandbox
}

/** Waits for the end of a command, or until a user sends it to the background. */
async function awaitCommand(
  { running, spec, sandbox }: AwaitedCommand,
  context: ToolContext,
  ports: ToolPorts,
): Promise<ToolOutcome> {
  const { sentToBackground } = context
  const stop = () => running.stop(context.signal.reason === 'interrupted' ? 'interrupted' : 'shutdown')
  context.signal.addEventListener('abort', stop, { once: true })
  sandbox.exceeded?.addEventListener('abort', () => running.stop('interrupted'), { once: true })
  context.narrowed.addEventListener('abort', () => running.stop('interrupted'), { once: true })
  const early = await unlessAborted(running.ended, sentToBackground)
  // A command that is being stopped ends soon, whoever sent it to the background since.
  const isSent = early === null && !context.signal.aborted && !context.narrowed.aborted
  if (isSent) context.signal.removeEventListener('abort', stop)
  if (isSent) return goOnInBackground(running, { spec, sandbox, itemId: context.itemId }, ports)
  const end = early ?? (await running.ended)
  context.signal.removeEventListener('abort', stop)
  const output = await keepOutput(end, context.sideFiles)
  const kept = { output, image: await keepImage(end, output, context), itemId: context.itemId }
  const outcome = outcomeOf(end, kept)
  if (sandbox.exceeded?.aborted === true) return tooMuchWritten(outcome)
  const isBeyondLimits = context.narrowed.aborted && !context.signal.aborted && end.reason === 'interrupted'
  return isBeyondLimits ? stoppedBeyondLimits(outcome) : outcome
}

/** Status and failure of a command with more rights than the settings allow since they became narrower. */
const beyondLimits = {
  status: 'interrupted',
  failure: {
    code: 'limitsNarrowed',
    message: 'the limits became narrower than those that it was started with. Start it anew under the limits of now',
  },
} as const

function stoppedBeyondLimits(outcome: ToolOutcome): ToolOutcome {
  const seen = outcome.modelText.slice(outcome.modelText.indexOf('\n'))
  return { ...outcome, ...beyondLimits, modelText: `stopped: ${beyondLimits.failure.message}${seen}` }
}

/** Returns the outcome of a command that was stopped because it had written too much. */
function tooMuchWritten(outcome: ToolOutcome): ToolOutcome {
  const message = 'stopped: its temporary files had grown over 4 GiB, or 500,000 files'
  return {
    ...outcome,
    status: 'failed',
    modelText: `${message}\n${outcome.modelText}`,
    failure: { code: 'scratchExceeded', message },
  }
}

async function readySandbox(context: ToolContext): Promise<Sandbox | { readonly problem: string }> {
  try {
    return await context.sandbox()
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError || !(error instanceof Error)) throw error
    return { problem: error.message }
  }
}

interface SpecParts {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly itemId: ItemId
  /** 2 for the run after one that the sandbox blocked; default 1. */
  readonly attempt?: 1 | 2
  /** Folder of the conversation's side files, which the spool joins. */
  readonly folder: string
}

export function commandSpec(
  { argv, cwd, itemId, attempt = 1, folder }: SpecParts,
  ports: ToolPorts,
): CommandSpec & Required<Pick<CommandSpec, 'name'>> {
  const env = commandVariables(ports)
  const spool = { path: join(folder, spoolName(itemId)), afterBytes: inlineBytes }
  const name = runName(itemId, attempt)
  return { argv, cwd, env, name, mark: createMark(), spool, filter: ports.redaction.filter() }
}

/** Returns the name by which an exec-server keeps a run, so that another server of the conversation finds it by the log. */
export function runName(itemId: ItemId, attempt: 1 | 2): string {
  return attempt === 1 ? itemId : `${itemId}.2`
}

/** Returns the variables that every command gets. */
export function commandVariables({
  environment,
  envRules,
  redaction,
}: Pick<ToolPorts, 'environment' | 'envRules' | 'redaction'>): Record<string, string> {
  return {
    ...commandEnv(environment.env, { ...envRules, isSecret: redaction.hasSecret }),
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    NO_COLOR: '1',
    // An update check would count as the command's own use of the network.
    NO_UPDATE_NOTIFIER: '1',
    npm_config_update_notifier: 'false',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
  }
}

/** Size of terminals in the background. */
const terminalSize = { rows: 40, cols: 120 }

/** Returns a command that can be written to. A dumb terminal is one whose output is read as lines. */
function withInput(spec: CommandSpec, { tty, timeoutMs }: BackgroundStart): CommandSpec {
  const limited = timeoutMs === null ? spec : { ...spec, timeoutMs }
  return tty ? { ...limited, input: terminalSize, env: { ...spec.env, TERM: 'dumb' } } : { ...limited, input: 'pipe' }
}

async function startInBackground(
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
  if (end !== null) return outcomeOf(end, { output: outputOfNothing, image: null, itemId })
  if (start.tellWhen !== null) tellWhenPrinted(itemId, { pattern: start.tellWhen, sinceByte: 0 }, ports)
  const modelText = `Started in the background as process ${itemId}${processWords({ itemId, pid, sandbox })}`
  return { status: 'completed', modelText }
}

interface BackgroundCommand {
  readonly itemId: ItemId
  readonly sandbox: Sandbox
}

/** Hands a running command over to the background processes, and answers its call with the output so far. */
function goOnInBackground(
  running: RunningCommand,
  { spec, sandbox, itemId }: BackgroundCommand & { readonly spec: CommandSpec },
  ports: ToolPorts,
): ToolOutcome {
  const { pid } = ports.background.adopt(itemId, running, { spec, sandbox })
  const seen = running.output()
  const sent = `The user sent it to the background; it runs on as process ${itemId}${processWords({ itemId, pid, sandbox })}`
  const soFar =
    seen.totalBytes === 0 ? 'It has written nothing so far.' : `Output so far:\n${outputForModel(seen, itemId)}`
  const fields = { background: true as const, output: shownOutput(seen) }
  return { status: 'completed', modelText: `${sent}\n${soFar}`, fields }
}

/** Returns what the model can do with a background process, after its name. */
function processWords({ itemId, pid, sandbox }: BackgroundCommand & { readonly pid: number | null }): string {
  const apart = sandbox.limits === null || sandbox.limits.network ? '' : reachedBy(sandbox)
  return `${pid === null ? '' : ` (pid ${pid})`}. Read its output and wait for it with read_process; all that is kept is read_file "output:${itemId}"; end it with stop_process. It ends with the conversation.${apart}`
}

/** Says who can connect to a server in the sandbox. */
function reachedBy({ sharesLoopback }: Sandbox): string {
  return sharesLoopback === true
    ? ' Commands with the same limits reach a server in it on localhost; the user’s browser does once the user types /forward PORT.'
    : ' Neither other commands nor the user’s browser can connect to it.'
}

const outputOfNothing: Output = { head: '', tail: '', totalBytes: 0, omittedBytes: 0 }
