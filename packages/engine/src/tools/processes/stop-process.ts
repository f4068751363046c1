import * as z from 'zod'
import { defineTool, failedLookUp, type ToolPorts } from '../contract/define-tool.ts'
import type { Tool, ToolOutcome } from '../contract/tool.ts'
import { howItEnded } from './process-end.ts'

const input = z.object({ id: z.string().min(1).optional() })

/** Ends processes that the model itself started, so it needs no approval. */
export function stopProcessTool({ background }: ToolPorts): Tool {
  return defineTool({
    name: 'stop_process',
    description: 'Ends a background process of this conversation, or lists them when no id is given.',
    readOnly: true,
    input,
    prepare: ({ id }) => ({
      describe: () => ({
        type: 'toolCall',
        kind: 'other',
        title: id === undefined ? 'List background processes' : `Stop process ${id}`,
        text: '',
        input: JSON.stringify({ id }),
      }),
      facts: () => Promise.resolve({ kind: 'other', tool: 'stop_process', readOnly: true }),
      plan: async () => ({ payload: JSON.stringify({ id: id ?? null }), run: () => stopOrList(id, background) }),
    }),
  })
}

async function stopOrList(id: string | undefined, background: ToolPorts['background']): Promise<ToolOutcome> {
  if (id === undefined) return { status: 'completed', modelText: listing(background.list()) }
  const end = await background.stop(id)
  if (end === null) return unknownProcess(id, background)
  return { status: 'completed', modelText: `Process ${id} ended (${howItEnded(end)}).` }
}

/** Returns the outcome of a call that names a process which this conversation does not have. */
export function unknownProcess(id: string, background: ToolPorts['background']): ToolOutcome {
  return failedLookUp(`There is no background process ${id}.\n${listing(background.list())}`)
}

function listing(processes: ReturnType<ToolPorts['background']['list']>): string {
  if (processes.length === 0) return 'There are no background processes.'
  return processes
    .map(({ id, argv, end }) => `${id}: ${argv.at(-1)} (${end === null ? 'running' : `ended, ${howItEnded(end)}`})`)
    .join('\n')
}
