import { noSandbox, type SandboxLimits } from '@parley/host'
import { checkNamedPaths, detectBlock } from '@parley/policy'
import type { CallItem, RunLimits } from '@parley/protocol'
import { notStarted, type OutputSource, type ToolContext, type ToolOutcome } from '../../tools/tool.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { createOutputReporter } from '../conversation/output-reporter.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import type { Call, RunStep } from './advance-call.ts'
import { createUserAsker } from './ask-user.ts'
import { type FoundBlock, finishedItem } from './call-outcome.ts'

/** Runs one attempt to its end. Nothing starts before `execution.started` is on disk; look-ups do not wait for that. */
export async function startCall(run: TurnContext, { itemId, written }: Call, step: RunStep): Promise<Call> {
  const { conversation, modules, signal } = run
  const { plan, attempt, grant } = step
  if (grant !== null) modules.memory.grants.push(grant)
  recordStart(run, step)
  if (step.item.readOnly !== true) await conversation.synced()
  const startedMs = modules.clock.elapsed()
  const context = toolContext(run, itemId, attempt.limits)
  const outcome = signal.aborted ? notStarted : await plan.run(context.tool).finally(context.stop)
  const durationMs = Math.round(modules.clock.elapsed() - startedMs)
  const item = finishedItem(step.item, { outcome, attempt, durationMs })
  const block = await findBlock(run, item, { outcome, context })
  return { phase: 'ran', itemId, written, attempt, plan, item, block, sandboxBroke: outcome.sandboxBroke === true }
}

function recordStart({ conversation }: TurnContext, { item, attempt, payloadHash }: RunStep): void {
  const { rule, reason, approvalId } = item.decision
  conversation.record({
    type: 'execution.started',
    itemId: item.id,
    attempt: attempt.number,
    decidedBy: approvalId === undefined ? { rule, reason } : { approvalId },
    payloadHash,
    ...(item.type === 'fileChange' ? { changes: item.changes } : {}),
  })
}

interface Ended {
  readonly outcome: ToolOutcome
  readonly context: CallContext
}

/** Returns what the sandbox of a failed command blocked, or null. Paths are examined on this machine only. */
async function findBlock(run: TurnContext, item: CallItem, { outcome, context }: Ended): Promise<FoundBlock | null> {
  const limits = context.limits()
  if (item.type !== 'commandExecution' || limits === null) return null
  if (outcome.status !== 'failed' || outcome.sandboxBroke === true) return null
  const { cwd, text: script, output } = item
  const { localHome: home, standingOf } = run.modules.limits
  const { enforcement } = run.conversation.state.core.settings
  const said = output === undefined ? '' : `${output.head}\n${output.tail}`
  const places =
    home === null ? [] : await checkNamedPaths({ script, output: said, cwd, limits, enforcement, home, standingOf })
  const exitCode = item.exitCode ?? null
  const triedNetwork = outcome.triedNetwork === true
  const block = detectBlock({ exitCode, triedNetwork, hasNetwork: limits.network, checkedPaths: places })
  return block === null ? null : { block, places }
}

/** Everything one running call can use of its conversation. */
interface CallContext {
  readonly tool: ToolContext
  /** Returns the sandbox limits its command ran under; null without limits or without a command. */
  limits(): SandboxLimits | null
  /** Ends its reports and questions, once the call has ended. */
  stop(): void
}

function toolContext(run: TurnContext, itemId: string, runLimits: RunLimits): CallContext {
  const { conversation, modules, patience, signal } = run
  const reporter = createOutputReporter(conversation, modules.clock, itemId)
  const { ids, memory, answerers, mayAsk } = modules
  const asker = createUserAsker({ conversation, signal, ids, questions: memory.questions, answerers, mayAsk }, itemId)
  let limits: SandboxLimits | null = null
  const tool: ToolContext = {
    ...workspaceOf(conversation.state),
    conversationId: conversation.id,
    itemId,
    signal,
    async sandbox() {
      limits = await modules.limits.describe(runLimits)
      return limits === null ? noSandbox : modules.limits.prepare(limits)
    },
    sideFiles: conversation.sideFiles,
    report: reporter.report,
    ask: asker.ask,
    updatePlan: async (plan) =>
      void (await patience.persist(() => conversation.record({ type: 'plan.updated', plan }))),
    outputOf: (id) => outputOf(conversation, id),
  }
  const stop = () => {
    asker.stop()
    reporter.stop()
  }
  return { tool, limits: () => limits, stop }
}

/** Returns the output of an earlier command. A small one only from the window, as the model was told it whole. */
function outputOf(conversation: Conversation, itemId: string): OutputSource | null {
  const file = conversation.view.outputFileOf(itemId)
  const found = conversation.state.window.findLast(({ item }) => item.id === itemId)?.item
  const output = found !== undefined && 'output' in found ? found.output : undefined
  if (output === undefined) return file === null ? null : { file, text: '' }
  return { file, text: output.head + output.tail }
}
