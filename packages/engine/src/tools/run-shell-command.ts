import { join } from 'node:path'
import {
  type CommandEnd,
  type CommandSpec,
  commandEnv,
  createMark,
  type EnvRules,
  type HeldVariable,
  heldVariables,
  type RunningCommand,
  type Sandbox,
} from '@parley/host'
import type { ItemId } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { inlineBytes, keepImage, keepOutput, spoolName } from './contract/command-output.ts'
import type { ToolPorts } from './contract/define-tool.ts'
import {
  type CallSandbox,
  type KeptRun,
  notStarted,
  processStop,
  type ToolContext,
  type ToolOutcome,
  unlessAborted,
} from './contract/tool.ts'
import { outcomeOf, sandboxFailed } from './processes/command-outcome.ts'
import { loginShellHint, missedVariables, type ToldVariables } from './processes/failure-hints.ts'
import {
  type BackgroundStart,
  followedSandbox,
  followStarted,
  goOnInBackground,
  startInBackground,
} from './processes/in-background.ts'
import { offerAside } from './processes/offer-aside.ts'

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
  readonly told: ToldVariables
}

export async function runShellCommand(
  { argv, cwd, cwdIdentity, background, timeoutMs, told }: ShellRun,
  context: ToolContext,
  ports: ToolPorts,
): Promise<ToolOutcome> {
  const { environment } = ports
  const planned = specOfCall({ argv, cwd }, context, ports)
  const spec = cwdIdentity === undefined ? planned : { ...planned, cwdIdentity }
  const sandbox = await readySandbox(context.sandbox)
  if ('problem' in sandbox) return sandboxFailed(sandbox.problem)
  if (context.signal.aborted) {
    sandbox.release?.()
    return notStarted
  }
  if (context.sandbox.narrowed.aborted) {
    sandbox.release?.()
    return { ...beyondLimits, modelText: `Not run: ${beyondLimits.failure.message}`, notRun: true }
  }
  if (background !== null) return startInBackground(spec, { itemId: context.itemId, sandbox, start: background }, ports)
  const running = environment.commands.runCommand({ ...spec, timeoutMs }, { sandbox, onOutput: reportTo(context) })
  return awaitCommand({ running, spec, sandbox, told }, context, ports)
}

/** Goes on with a command of an earlier server. */
export async function followShellCommand(
  { argv, cwd, background: start, timeoutMs, told, ageMs, limits }: Omit<ShellRun, 'cwdIdentity'> & KeptRun,
  context: ToolContext,
  ports: ToolPorts,
): Promise<ToolOutcome> {
  const spec = specOfCall({ argv, cwd }, context, ports)
  if (start !== null) return followStarted(spec, { itemId: context.itemId, start, ageMs, limits }, ports)
  const sandbox = followedSandbox(limits)
  const options = { sandbox, onOutput: reportTo(context), ageMs }
  const running = ports.environment.kept.follow({ ...spec, timeoutMs }, options)
  return awaitCommand({ running, spec, sandbox, told }, context, ports)
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
  readonly told: ToldVariables
}

/** Waits for the end of a command, or until a user sends it to the background. */
async function awaitCommand(
  { running, spec, sandbox, told }: AwaitedCommand,
  context: ToolContext,
  ports: ToolPorts,
): Promise<ToolOutcome> {
  const { sentToBackground } = context
  const stop = () => running.stop(processStop(context.signal.reason))
  whenAborted(context.signal, stop)
  sandbox.exceeded?.addEventListener('abort', () => running.stop('interrupted'), { once: true })
  whenAborted(context.sandbox.narrowed, () => running.stop('interrupted'))
  const early = await unlessAborted(running.ended, sentToBackground)
  // A command that is being stopped ends soon, even if a user has sent it to the background since.
  const isSent = early === null && !context.signal.aborted && !context.sandbox.narrowed.aborted
  if (isSent) context.signal.removeEventListener('abort', stop)
  if (isSent) return goOnInBackground(running, { spec, sandbox, itemId: context.itemId }, ports)
  const end = early ?? (await running.ended)
  context.signal.removeEventListener('abort', stop)
  const output = await keepOutput(end, context.files.sideFiles)
  const kept = { output, image: await keepImage(end, output, context.files), itemId: context.itemId }
  const hints = hintsOn(end, { line: spec.argv.at(-1) ?? '', told, ports, changeable: context.roots })
  const answered = await offerAside(end, context, ports.environment.name === null)
  const all = { missed: hints.missed, hints: [...hints.hints, ...answered] }
  const outcome = outcomeOf(end, { ...kept, ...all, stopped: context.signal.reason })
  if (sandbox.exceeded?.aborted === true) return tooMuchWritten(outcome)
  const isBeyondLimits = context.sandbox.narrowed.aborted && !context.signal.aborted && end.reason === 'interrupted'
  return isBeyondLimits ? stoppedBeyondLimits(outcome) : outcome
}

interface EndedCommand {
  readonly line: string
  readonly told: ToldVariables
  readonly changeable: readonly string[]
  readonly ports: VariablePorts
}

/** Returns the hints for the user and the model about the surroundings of a failed command. */
function hintsOn(end: CommandEnd, { line, told, ports, changeable }: EndedCommand) {
  const login = loginShellHint(end, line)
  const missed = missedVariables(end, { line, held: () => heldFrom(ports, changeable) }, told)
  return { missed, hints: login === null ? [] : [login] }
}

/** Acts once a signal aborts, at once for one that has: a command that is followed may have to end as it is found. */
function whenAborted(signal: AbortSignal, act: () => void): void {
  signal.addEventListener('abort', act, { once: true })
  if (signal.aborted) act()
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

async function readySandbox(sandbox: CallSandbox): Promise<Sandbox | { readonly problem: string }> {
  try {
    return await sandbox.prepare()
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError || !(error instanceof Error)) throw error
    return { problem: error.message }
  }
}

/** Returns the command of a call, once there is a folder for its output. */
function specOfCall(
  { argv, cwd }: Pick<CommandSpec, 'argv' | 'cwd'>,
  { itemId, attempt, roots, files: { sideFiles } }: ToolContext,
  ports: ToolPorts,
): ReturnType<typeof commandSpec> {
  sideFiles.prepare()
  return commandSpec({ argv, cwd, itemId, attempt, roots, folder: sideFiles.folder }, ports)
}

interface SpecParts {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly itemId: ItemId
  /** 2 for the run after one that the sandbox blocked; default 1. */
  readonly attempt?: 1 | 2
  /** Folders that commands of the conversation may change. */
  readonly roots: readonly string[]
  /** Folder of the conversation's side files, which the spool joins. */
  readonly folder: string
}

export function commandSpec(
  { argv, cwd, itemId, attempt = 1, roots, folder }: SpecParts,
  ports: ToolPorts,
): CommandSpec & Required<Pick<CommandSpec, 'name'>> {
  const env = commandVariables(ports, roots)
  const spool = { path: join(folder, spoolName(itemId)), afterBytes: inlineBytes }
  const name = runName(itemId, attempt)
  return { argv, cwd, env, name, mark: createMark(), spool, filter: ports.redaction.filter() }
}

/**
 * Returns the name under which an exec-server keeps a run, so that another server of the conversation finds it by the
 * log.
 */
export function runName(itemId: ItemId, attempt: 1 | 2): string {
  return attempt === 1 ? itemId : `${itemId}.2`
}

type VariablePorts = Pick<ToolPorts, 'environment' | 'envRules' | 'redaction'>

/**
 * Returns the variables of a command of a conversation that may change the files in `changeable`. Without it, the
 * variables of a program that is to trust nothing there.
 */
export function commandVariables(ports: VariablePorts, changeable?: readonly string[]): Record<string, string> {
  return {
    ...commandEnv(ports.environment.env, rulesFor(ports, changeable)),
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

/** Returns the variables of the user's that such a command does not get. */
export function heldFrom(ports: VariablePorts, changeable: readonly string[]): readonly HeldVariable[] {
  const own = commandVariables(ports, changeable)
  return heldVariables(ports.environment.env, rulesFor(ports, changeable)).filter(({ name }) => own[name] === undefined)
}

function rulesFor({ envRules, redaction }: VariablePorts, changeable?: readonly string[]): EnvRules {
  return { ...envRules, isSecret: redaction.hasSecret, ...(changeable === undefined ? {} : { changeable }) }
}
