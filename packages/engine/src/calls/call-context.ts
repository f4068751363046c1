import { noSandbox, type SandboxLimits } from '@parley/host'
import type { ItemId, RunLimits, Settings } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { createOutputReporter } from '../conversation/deltas.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { CallContext } from '../roles/roles.ts'
import type { OutputSource, ToolContext } from '../tools/contract/tool.ts'
import type { RunStep } from './advance-call.ts'
import { createUserAsker } from './ask-user.ts'

/** Everything one running call can use of its conversation. */
export interface RunningCall {
  readonly tool: ToolContext
  /** Returns the sandbox limits its command ran under; null without limits or without a command. */
  limits(): SandboxLimits | null
  /** Ends its reports and questions, once the call has ended. */
  stop(): void
}

/** Limits of a run, and what the user answered to its form. */
interface RunTerms extends Pick<RunStep, 'answers' | 'note'> {
  /** Limits that it was decided to run under; null where the log of an earlier server does not say them. */
  readonly limits: RunLimits | null
  /** Settings that it was started under, where an earlier server has started it. */
  readonly since?: Settings
  readonly attempt: 1 | 2
  /** Bytes of its output that are in the log. */
  readonly seenBytes: number
}

/** Returns what a call that begins to run can use. */
export function toolContext(
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
  const tool: ToolContext = {
    ...workspaceOf(conversation.state),
    conversationId: conversation.id,
    itemId,
    attempt,
    signal,
    narrowed: narrowed.signal,
    sentToBackground: foreground.sent,
    async sandbox() {
      if (runLimits === null) throw new Error('no call starts without limits')
      limits = await act.limits.describe(runLimits)
      const sandbox = limits === null ? noSandbox : await act.limits.prepare(limits, 'shared')
      // Again, since preparing takes time.
      await conversation.mayAct().catch((error: unknown) => {
        sandbox.release?.()
        throw error
      })
      return sandbox
    },
    sideFiles: conversation.sideFiles,
    imageLimits: act.imageLimits(),
    report: reporter.report,
    ask: asker.ask,
    answers,
    note,
    updatePlan: async (plan) => void (await storage.persist(() => conversation.record({ type: 'plan.updated', plan }))),
    outputOf: (id) => outputOf(conversation, id),
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
  const file = conversation.view.outputFileOf(itemId)
  const found = conversation.state.window.findLast(({ item }) => item.id === itemId)?.item
  const output = found !== undefined && 'output' in found ? found.output : undefined
  if (output === undefined) return file === null ? givenResult(conversation, itemId) : { file, text: '' }
  return { file, text: output.head + output.tail }
}

/** Returns the result of a call whose output nothing else keeps, as the model was given it. */
function givenResult({ view }: Conversation, itemId: ItemId): OutputSource | null {
  const text = view.resultOf(itemId)
  return text === null ? null : { file: null, text }
}
