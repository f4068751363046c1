import type { Output } from '@parley/protocol'
import type { OutputSource, ToolContext } from '../tools/tool.ts'
import type { Conversation } from './conversation.ts'
import { createOutputReporter } from './output-reporter.ts'
import { workspaceOf } from './proposed-item.ts'
import type { Run } from './run.ts'

/** What one running call gets of its conversation, and how that is taken back when it ends. */
export function toolContext(run: Run, itemId: string): { tool: ToolContext; stop(): void } {
  const { conversation, bench, patience, signal } = run
  const reporter = createOutputReporter(conversation, bench.clock, itemId)
  const tool: ToolContext = {
    ...workspaceOf(conversation.state),
    conversationId: conversation.id,
    itemId,
    signal,
    sideFiles: conversation.sideFiles,
    report: reporter.report,
    updatePlan: async (plan) =>
      void (await patience.persist(() => conversation.record({ type: 'plan.updated', plan }))),
    outputOf: (id) => outputOf(conversation, id),
  }
  return { tool, stop: reporter.stop }
}

function outputOf(conversation: Conversation, itemId: string): OutputSource | null {
  const found = conversation.state.window.findLast(({ item }) => item.id === itemId)?.item
  const output = found !== undefined && 'output' in found ? found.output : undefined
  return output === undefined ? null : { file: output.file ?? null, text: wholeText(output) }
}

function wholeText({ head, tail }: Output): string {
  return head + tail
}
