import { join } from 'node:path'
import {
  type CommandEnd,
  type CommandSpec,
  commandEnv,
  createMark,
  type RunningCommand,
  type Sandbox,
} from '@parley/host'
import type { ItemId, Output } from '@parley/protocol'
import { exitWords, secondsText } from '@parley/text'
import { EnvironmentUnreachableError } from '@parley/workspace'
import {
  inlineBytes,
  keepImage,
  keepOutput,
  outputForModel,
  type ShownImage,
  shownOutput,
  spoolName,
} from './command-output.ts'
import type { ToolPorts } from './define-tool.ts'
import { tellWhenPrinted } from './processes/await-output.ts'
import type { OutputPattern } from './processes/output-pattern.ts'
import { lostHeading } from './processes/process-end.ts'
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
  const planned = commandSpec({ argv, cwd, itemId: context.itemId, folder: context.sideFiles.folder }, ports)
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
  const { sentToBackground } = context
  const onOutput = (chunk: Buffer) => {
    if (!sentToBackground.aborted) context.report(chunk)
  }
  const running = environment.commands.runCommand({ ...spec, timeoutMs }, { sandbox, onOutput })
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

/** Returns the outcome of a command that was not run, since its sandbox could not be set up. */
function sandboxFailed(problem: string): ToolOutcome {
  const message = `the sandbox could not be set up: ${problem}`
  const failure = { code: 'sandboxFailed', message }
  return { status: 'failed', modelText: `Not run: ${message}`, failure, sandboxBroke: true }
}

interface SpecParts {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly itemId: ItemId
  /** Folder of the conversation's side files, which the spool joins. */
  readonly folder: string
}

export function commandSpec({ argv, cwd, itemId, folder }: SpecParts, ports: ToolPorts): CommandSpec {
  const env = commandVariables(ports)
  const spool = { path: join(folder, spoolName(itemId)), afterBytes: inlineBytes }
  return { argv, cwd, env, mark: createMark(), spool, filter: ports.redaction.filter() }
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
    ? ' Commands with the same limits reach a server in it on localhost; the user’s browser does not.'
    : ' Neither other commands nor the user’s browser can connect to it.'
}

const outputOfNothing: Output = { head: '', tail: '', totalBytes: 0, omittedBytes: 0 }

interface KeptOutput {
  readonly output: Output
  readonly image: ShownImage | null
  readonly itemId: ItemId
}

function outcomeOf(end: CommandEnd, { output, image, itemId }: KeptOutput): ToolOutcome {
  if (end.spawnError?.subject === 'sandbox') return sandboxFailed(end.spawnError.message)
  const triedNetwork = end.triedNetwork === true ? { triedNetwork: true as const } : {}
  const signal = end.signal === null ? {} : { signal: end.signal }
  const images = image === null || image.stored === null ? {} : { images: [image.stored] }
  const fields = { exitCode: end.exitCode, output, ...signal, ...images }
  const heading = headingOf(end)
  const shown = image?.words ?? outputForModel(end, itemId)
  const leftovers =
    end.leftovers > 0
      ? '\n(What it left running was stopped. Use background: true for something that should go on.)'
      : ''
  const exchanged = (end.exchanged ?? []).map((sentence) => `\n(${sentence})`).join('')
  const modelText = `${heading}\n${shown}${leftovers}${exchanged}`
  if (end.reason === 'interrupted' || end.reason === 'shutdown') return { status: 'interrupted', modelText, fields }
  if (end.reason === 'lost')
    return { status: 'unknown', modelText, fields, failure: { code: 'endUnknown', message: heading } }
  if (end.reason === 'exited' && end.exitCode === 0) return { status: 'completed', modelText, fields }
  // An exit code needs no failure beside it.
  if (end.reason === 'exited') return { status: 'failed', modelText, fields, ...triedNetwork }
  return { status: 'failed', modelText, fields, ...triedNetwork, failure: { code: end.reason, message: heading } }
}

function headingOf(end: CommandEnd): string {
  const seconds = secondsText(end.durationMs)
  switch (end.reason) {
    case 'spawnFailed':
      return `could not start: ${end.spawnError?.message ?? 'unknown reason'}`
    case 'lost':
      return lostHeading(end) ?? ''
    case 'timedOut':
      return `stopped after ${seconds}: it ran into its time limit (give a larger timeout_ms, or background: true)`
    case 'interrupted':
      return `interrupted by the user after ${seconds}`
    case 'shutdown':
      return `stopped after ${seconds}: parley was closed`
    case 'exited':
      return end.signal === null
        ? `${exitWords(end.exitCode)} after ${seconds}`
        : `killed by ${end.signal} after ${seconds}`
  }
}
