import { noSandbox, type Sandbox, type StartedProgram } from '@parley/host'
import { assertUnchanged } from '@parley/mcp-client'
import { diskTree, isUnchanged, type ProjectTree, projectRoot, readRemoteTree } from '@parley/policy'
import { type RunLimits, settingsInForce } from '@parley/protocol'
import type { Environment } from '@parley/workspace'
import { repositoryRoot } from '../context/session-context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import { assertNotWritable } from '../limits/writable-program.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import { commandVariables } from '../tools/run-shell-command.ts'
import type { PlacedHook } from './placed-hooks.ts'
import { type HookEnd, runHook } from './run-hook.ts'

/** Conversation that hooks run for, with its limits. */
export interface HookPlace {
  readonly conversation: Pick<Conversation, 'state' | 'started' | 'mayAct'>
  readonly limits: Pick<ConversationLimits, 'describe' | 'enforcementFor' | 'prepare' | 'whenNarrowed'>
  readonly toolPorts: Pick<ToolPorts, 'environment' | 'envRules' | 'redaction'>
}

interface StartPorts {
  readonly place: HookPlace
  readonly clock: Clock
}

interface HookStart {
  readonly input: string
  readonly signal: AbortSignal
}

/** Starts a hook in its sandbox, where the commands of the conversation run, and waits for its end. What keeps it from a start is in the end. */
export async function startHook(
  hook: PlacedHook,
  { input, signal }: HookStart,
  { place, clock }: StartPorts,
): Promise<HookEnd> {
  const { conversation, toolPorts, limits } = place
  const { environment } = toolPorts
  const narrowed = new AbortController()
  const run = runLimits(hook, place)
  if ('problem' in run) return notStarted(run.problem)
  const endWatch = limits.whenNarrowed(run, () => narrowed.abort())
  try {
    await environment.reach()
    if (environment.name !== null && hook.outsideSandbox)
      await assertNotWritable(programOf(hook, place), 'a hook', { environment, conversation })
    await assertTrusted(hook, environment)
    const folder = hook.copy === null ? { path: conversation.state.core.meta.cwd } : await hook.copy.folder()
    if ('problem' in folder) return notStarted(folder.problem)
    const described = await limits.describe(run)
    const argv = typeof hook.command === 'string' ? [environment.shell, '-c', hook.command] : hook.command
    // Outside the sandbox a hook must not load files that a command has changed.
    const env = {
      ...commandVariables(toolPorts, described?.writableRoots),
      PARLEY_PROJECT_DIR: await projectFolder(hook, place),
    }
    const sandbox: Sandbox = described === null ? noSandbox : await limits.prepare(described, 'own')
    const start = { argv, cwd: folder.path, env, input, timeoutMs: hook.timeoutMs, sandbox }
    await conversation.mayAct().catch((error: unknown) => {
      sandbox.release?.()
      throw error
    })
    return await runHook(start, { processes: environment.commands, clock }, AbortSignal.any([signal, narrowed.signal]))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return notStarted(error.message)
  } finally {
    endWatch()
  }
}

/** Throws where a hook runs files of the project that differ from the trusted ones. */
async function assertTrusted(hook: PlacedHook, { name, files }: Environment): Promise<void> {
  const { copy } = hook
  const run = copy?.inPlace(hook) ?? []
  if (copy === null || run.length === 0) return
  const changedIn = (tree: ProjectTree) => run.find((file) => !isUnchanged({ root: copy.root, tree }, file))
  assertUnchanged(name === null ? changedIn(diskTree) : await readRemoteTree(files, changedIn))
}

function programOf({ command }: PlacedHook, { conversation }: HookPlace): StartedProgram {
  const { cwd } = conversation.state.core.meta
  return typeof command === 'string' ? { line: command, cwd } : { words: command, cwd }
}

async function projectFolder({ copy }: PlacedHook, { conversation, toolPorts }: HookPlace): Promise<string> {
  const { cwd } = conversation.state.core.meta
  const { name, files } = toolPorts.environment
  if (name !== null) return (await repositoryRoot(cwd, files))?.folder ?? cwd
  return copy?.root ?? projectRoot(cwd)?.folder ?? cwd
}

function notStarted(problem: string): HookEnd {
  return { how: 'notStarted', exitCode: null, signal: null, stdout: '', stderr: '', problem, durationMs: 0 }
}

const free: RunLimits = { sandbox: 'none', network: true }

/**
 * Returns the limits of a hook: the limits of commands, also in a review. A hook of a project runs in a full sandbox,
 * unless a user said otherwise.
 */
function runLimits(
  { outsideSandbox, copy }: PlacedHook,
  { conversation, limits }: HookPlace,
): RunLimits | { problem: string } {
  const { sandbox, enforcement, network = false } = settingsInForce(conversation.state.core)
  if (copy === null) {
    const isFree = outsideSandbox || sandbox === 'danger-full-access' || enforcement === 'none'
    return isFree ? free : { sandbox, network }
  }
  const mode = copy.modeIn(sandbox)
  if (limits.enforcementFor(mode) === 'full') return { sandbox: mode, network: copy.network }
  return copy.mayRunUnsandboxed
    ? free
    : { problem: 'it was trusted only inside the sandbox, and there is no full sandbox now; /trust asks again' }
}
