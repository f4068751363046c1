import { noSandbox, type SandboxLimits } from '@parley/host'
import { checkNamedPaths, detectBlock } from '@parley/policy'
import {
  type CallItem,
  type ChangedPath,
  type ItemId,
  isCall,
  type RunLimits,
  type SandboxBlock,
  type Settings,
  settingsInForce,
} from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { createOutputReporter } from '../conversation/output-reporter.ts'
import { recordChanges } from '../history/record-changes.ts'
import { limitsOfDecision } from '../limits/narrowed-limits.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { CallContext } from '../roles/roles.ts'
import {
  notStarted,
  type OutputSource,
  type PreparedCall,
  type ToolContext,
  type ToolOutcome,
  unlessAborted,
  type Workspace,
} from '../tools/contract/tool.ts'
import type { CallStep, PhasedCall, RunStep } from './advance-call.ts'
import { createUserAsker } from './ask-user.ts'
import { finishedItem, type PlannedRun } from './attempt.ts'
import { sayWrittenThrough } from './written-through.ts'

/** Runs one attempt to its end; null for one that is left to the next server. Nothing starts before `execution.started` is on disk; look-ups do not wait for that. */
export async function startCall(
  context: CallContext,
  { itemId, written }: PhasedCall,
  step: RunStep,
): Promise<PhasedCall | null> {
  const {
    record: { conversation },
    act,
  } = context
  const { plan, attempt, answers, note, grant } = step
  if (grant !== null) act.memory.grants.give(grant, settingsInForce(conversation.state.core).sandbox)
  recordStart(context, step)
  // Before anything is awaited, so that a change of the settings from now on stops the call.
  const terms = { limits: attempt.limits, answers, note, attempt: attempt.number, seenBytes: 0 }
  const callContext = toolContext(context, itemId, terms)
  const { outcome, durationMs } = await runPlan(context, step, callContext.tool).finally(callContext.stop)
  if (outcome.left === true) return null
  const item = finishedItem(step.item, { outcome, attempt, durationMs })
  const block = await findBlock(context, { item, outcome, limits: callContext.limits() })
  const planned = { facts: attempt.facts, plan }
  return { phase: 'ran', itemId, written, attempt, planned, item, block, sandboxBroke: outcome.sandboxBroke === true }
}

async function runPlan(context: CallContext, step: RunStep, tool: ToolContext) {
  const {
    record: { conversation },
    act,
  } = context
  const { item, attempt } = step
  if (item.readOnly === true) return await timedRun(context, step, tool)
  const synced = conversation.synced()
  synced.catch(() => undefined)
  let changed: readonly ChangedPath[] = []
  const record = recordChanges(context, item.id)
  const ran = await act.history.around({
    named: attempt.facts.kind === 'patch' ? attempt.facts.files.map(({ real }) => real) : [],
    record(changes) {
      changed = changes
      return record(changes)
    },
    async run() {
      await synced
      await conversation.mayAct()
      return await timedRun(context, step, tool)
    },
  })
  // A patch replaces a file by a new one, so other names of the old file keep their content.
  if (attempt.facts.kind === 'patch') return ran
  return { ...ran, outcome: await sayWrittenThrough(context, ran.outcome, changed) }
}

async function timedRun({ record: { clock }, signal }: CallContext, { plan }: RunStep, tool: ToolContext) {
  const startedMs = clock.elapsed()
  const outcome = signal.aborted ? notStarted : await plan.run(tool)
  return { outcome, durationMs: Math.round(clock.elapsed() - startedMs) }
}

function recordStart({ record: { conversation } }: CallContext, { item, attempt, payloadHash }: RunStep): void {
  const { rule, reason, approvalId, limits } = item.decision
  conversation.record({
    type: 'execution.started',
    itemId: item.id,
    attempt: attempt.number,
    decidedBy: approvalId === undefined ? { rule, reason } : { approvalId },
    payloadHash,
    ...(limits === undefined ? {} : { limits }),
    ...(item.type === 'fileChange' ? { changes: item.changes } : {}),
  })
}

/** Everything one running call can use of its conversation. */
interface RunningCall {
  readonly tool: ToolContext
  /** Returns the sandbox limits its command ran under; null without limits or without a command. */
  limits(): SandboxLimits | null
  /** Ends its reports and questions, once the call has ended. */
  stop(): void
}

/** Limits of a run, and the user's answers to its form. */
interface RunTerms extends Pick<RunStep, 'answers' | 'note'> {
  /** Limits that it was decided to run under; null where the log of an earlier server does not say them. */
  readonly limits: RunLimits | null
  /** Settings that it was started under, where an earlier server has started it. */
  readonly since?: Settings
  readonly attempt: 1 | 2
  /** Bytes of its output that are in the log. */
  readonly seenBytes: number
}

/** Builds the context of a call that begins to run. */
function toolContext(
  context: CallContext,
  itemId: ItemId,
  { limits: runLimits, since, answers, note, attempt, seenBytes }: RunTerms,
): RunningCall {
  const {
    record: { conversation, clock, storage },
    act,
    signal,
  } = context
  const reporter = createOutputReporter(conversation, clock, { itemId, seenBytes })
  const asker = createUserAsker(context, itemId)
  let limits: SandboxLimits | null = null
  const narrowed = new AbortController()
  const foreground = act.memory.foreground.enter(itemId)
  const endWatch = act.limits.whenNarrowed(runLimits, () => narrowed.abort(), since)
  const prepare = async () => {
    if (runLimits === null) throw new Error('no call starts without limits')
    limits = await act.limits.describe(runLimits)
    const sandbox = limits === null ? noSandbox : await act.limits.prepare(limits, 'shared')
    // Again, since preparing takes time.
    await conversation.mayAct().catch((error: unknown) => {
      sandbox.release?.()
      throw error
    })
    return sandbox
  }
  const tool: ToolContext = {
    ...workspaceOf(conversation.state),
    conversationId: conversation.id,
    itemId,
    attempt,
    signal,
    sentToBackground: foreground.sent,
    sandbox: { prepare, narrowed: narrowed.signal },
    files: {
      sideFiles: conversation.sideFiles,
      imageLimits: act.imageLimits(),
      outputOf: (id) => outputOf(conversation, id),
    },
    user: { ask: asker.ask, answers, note },
    report: reporter.report,
    updatePlan: async (plan) => void (await storage.persist(() => conversation.record({ type: 'plan.updated', plan }))),
  }
  const stop = () => {
    endWatch()
    foreground.leave()
    asker.stop()
    reporter.stop()
  }
  return { tool, limits: () => limits, stop }
}

/** Returns the output of an earlier command. A small one only from the window, as the model was told it whole. */
function outputOf(conversation: Conversation, itemId: ItemId): OutputSource | null {
  const file = conversation.view.calls.outputFileOf(itemId)
  const found = conversation.state.window.findLast(({ item }) => item.id === itemId)?.item
  const output = found !== undefined && 'output' in found ? found.output : undefined
  if (output === undefined) return file === null ? givenResult(conversation, itemId) : { file, text: '' }
  return { file, text: output.head + output.tail }
}

/** Returns the result of a call from the model's view, where its output is kept nowhere else. */
function givenResult({ view }: Conversation, itemId: ItemId): OutputSource | null {
  const text = view.calls.resultOf(itemId)
  return text === null ? null : { file: null, text }
}

type FollowStep = Extract<CallStep, { kind: 'follow' }>

/** Goes on with a run of an earlier server until its end. Returns null for one that is left to the next. */
export async function followCall(context: CallContext, call: PhasedCall, step: FollowStep): Promise<PhasedCall | null> {
  const {
    record: { conversation, settingsBefore, clock },
    act,
  } = context
  const { itemId, written } = call
  const open = conversation.state.core.open[itemId]
  if (open === undefined || !isCall(open.item)) return null
  act.memory.runningOn.delete(itemId)
  const { decision } = open
  const attempt = { number: open.failedExecution === undefined ? 1 : 2 } as const
  const seenBytes = open.progress?.totalBytes ?? Buffer.byteLength(open.output)
  // A log of an earlier program does not say its limits: any that became narrower since stop it.
  const terms = { limits: decision?.limits ?? null, since: settingsBefore, answers: null, note: null }
  const callContext = toolContext(context, itemId, { ...terms, attempt: attempt.number, seenBytes })
  const startedMs = clock.elapsed()
  const limits = limitsOfDecision(decision, settingsBefore)
  const run = { ageMs: step.ageMs, limits }
  const outcome = await step.follow(callContext.tool, run).finally(callContext.stop)
  if (outcome.left === true) return null
  const durationMs = Math.round(step.ageMs + clock.elapsed() - startedMs)
  const decided = decision === undefined ? open.item : { ...open.item, decision }
  const item = finishedItem(decided, { outcome, attempt, durationMs })
  const block = await findBlock(context, { item, outcome, limits })
  const planned = block === null ? null : await planAnew(context, step)
  return { phase: 'ran', itemId, written, attempt, planned, item, block, sandboxBroke: outcome.sandboxBroke === true }
}

/** Plans the call for a second run, as after a restart. Returns null where nothing could be run again. */
async function planAnew(
  { signal }: CallContext,
  { prepared, workspace }: { readonly prepared: PreparedCall; readonly workspace: Workspace },
): Promise<PlannedRun | null> {
  try {
    const facts = await unlessAborted(prepared.facts(workspace), signal)
    const plan = facts === null ? null : await unlessAborted(prepared.plan(workspace, facts), signal)
    return facts === null || plan === null || 'problem' in plan ? null : { facts, plan }
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError) return null
    throw error
  }
}

interface FinishedRun {
  /** Item with the outcome. */
  readonly item: CallItem
  readonly outcome: ToolOutcome
  /** Limits that its command ran under; null without limits or without a command. */
  readonly limits: SandboxLimits | null
}

/**
 * Returns the accesses that the sandbox of a failed command blocked, or null. Paths are examined on this machine only.
 */
async function findBlock(
  { record: { conversation }, act }: CallContext,
  { item, outcome, limits }: FinishedRun,
): Promise<SandboxBlock | null> {
  if (outcome.recordedBlock !== undefined) return outcome.recordedBlock
  if (item.type !== 'commandExecution' || limits === null) return null
  if (outcome.status !== 'failed' || outcome.sandboxBroke === true) return null
  const { cwd, text: script, output } = item
  const { localHome: home, standingOf } = act.limits
  const { enforcement } = conversation.state.core.settings
  const said = output === undefined ? '' : `${output.head}\n${output.tail}`
  const checkedPaths =
    home === null ? [] : await checkNamedPaths({ script, output: said, cwd, limits, enforcement, home, standingOf })
  const exitCode = item.exitCode ?? null
  const triedNetwork = outcome.triedNetwork === true
  return detectBlock({ exitCode, triedNetwork, hasNetwork: limits.network, checkedPaths })
}
