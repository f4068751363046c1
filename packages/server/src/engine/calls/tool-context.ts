import { noSandbox, type SandboxLimits } from '@parley/host'
import type { RunLimits } from '@parley/protocol'
import type { OutputSource, ToolContext } from '../../tools/tool.ts'
import type { Conversation } from '../conversation.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { createOutputReporter } from '../output-reporter.ts'
import type { Run } from '../run.ts'
import { createUserAsker } from './ask-user.ts'

/** Everything one running call can use of its conversation. */
export interface CallContext {
  readonly tool: ToolContext
  /** Returns the sandbox limits its command ran under; null without limits or without a command. */
  limits(): SandboxLimits | null
  /** Ends its reports and questions, once the call has ended. */
  stop(): void
}

export function toolContext(run: Run, itemId: string, runLimits: RunLimits): CallContext {
  const { conversation, bench, patience, signal } = run
  const reporter = createOutputReporter(conversation, bench.clock, itemId)
  const { ids, questions, answerers, mayAsk } = bench
  const asker = createUserAsker({ conversation, signal, ids, questions, answerers, mayAsk }, itemId)
  let limits: SandboxLimits | null = null
  const tool: ToolContext = {
    ...workspaceOf(conversation.state),
    conversationId: conversation.id,
    itemId,
    signal,
    async sandbox() {
      limits = await bench.limits.describe(runLimits)
      return limits === null ? noSandbox : bench.limits.prepare(limits)
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
