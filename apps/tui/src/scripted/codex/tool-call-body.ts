import type { Item } from '@parley/protocol'
import type { CallStatus, ItemBody } from './thread-event.ts'

type ToolCall = Extract<Item, { type: 'toolCall' }>

/** Shown as a list of its own. */
const planTool = 'update_plan'

/** A tool of an MCP server, or one of our own, which stands under our name; null for the plan. */
export function toolCallBody(item: ToolCall, status: CallStatus): ItemBody | null {
  const { tool, input, modelText = '', failure } = item
  if (tool === planTool) return null
  const problem = failure?.message ?? modelText
  return {
    type: 'mcp_tool_call',
    ...ownerOf(tool, item.facts),
    arguments: parsed(input),
    result: status === 'completed' ? { content: [{ type: 'text', text: modelText }], structured_content: null } : null,
    error: status === 'failed' ? { message: problem } : null,
    status,
  }
}

/** What policy knew of the call has the names as they are; the model's name for it is all there is before. */
function ownerOf(name: string, facts: ToolCall['facts']): { server: string; tool: string } {
  const { server, name: ownName } = facts ?? {}
  if (facts?.['kind'] === 'mcp' && typeof server === 'string' && typeof ownName === 'string')
    return { server, tool: ownName }
  const [, of, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  return of === undefined || tool === undefined ? { server: 'parley', tool: name } : { server: of, tool }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
