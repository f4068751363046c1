import { resolve } from 'node:path'
import type { CallItem, FileChangeEntry, Item, ItemOf } from '@parley/protocol'
import { argumentsOf, outputText, setsPlan, toolOwner } from '@parley/protocol/calls'
import { joinShellWords } from '@parley/text'
import type { CallStatus, ItemBody } from './thread-events.ts'

/** Returns the body of a started call; null for items that have only a completed line. */
export function begunBody(item: Item, cwd: string): ItemBody | null {
  switch (item.type) {
    case 'commandExecution':
      return { ...commandBody(item), aggregated_output: '', exit_code: null, status: 'in_progress' }
    case 'fileChange':
      return { type: 'file_change', changes: changedFiles(item.changes, cwd), status: 'in_progress' }
    case 'toolCall':
      return toolCallBody(item, 'in_progress')
    default:
      return null
  }
}

/** Returns the body of a completed item; null for items without a line. */
export function finishedBody(item: Item, cwd: string): ItemBody | null {
  switch (item.type) {
    case 'agentMessage':
      return textBody('agent_message', item.text)
    case 'reasoning':
      return textBody('reasoning', item.text)
    case 'commandExecution':
      return commandBody(item)
    case 'fileChange':
      return { type: 'file_change', changes: changedFiles(item.changes, cwd), status: statusOf(item) }
    case 'toolCall':
      return toolCallBody(item, statusOf(item))
    case 'notice':
      // An error that ends the turn has a line of its own.
      return item.level === 'warning' ? { type: 'error', message: item.title } : null
    default:
      return null
  }
}

function textBody(type: 'agent_message' | 'reasoning', text: string): ItemBody | null {
  return text.trim() === '' ? null : { type, text }
}

function commandBody(item: ItemOf<'commandExecution'>): Extract<ItemBody, { type: 'command_execution' }> {
  const { command, output, exitCode = null, status } = item
  return {
    type: 'command_execution',
    command: joinShellWords(command),
    aggregated_output: output === undefined ? '' : outputText(output),
    exit_code: exitCode,
    status: status === 'denied' ? 'declined' : statusOf(item),
  }
}

function changedFiles(changes: readonly FileChangeEntry[], cwd: string) {
  return changes.map(({ path, kind }) => ({ path: resolve(cwd, path), kind }))
}

function statusOf({ status }: CallItem): CallStatus {
  return status === 'completed' ? 'completed' : 'failed'
}

/** Returns the body of a call of an MCP tool, or of an own tool with server `parley`; null for the plan. */
function toolCallBody(item: ItemOf<'toolCall'>, status: CallStatus): ItemBody | null {
  const { modelText = '', failure } = item
  if (setsPlan(item)) return null
  const problem = failure?.message ?? modelText
  return {
    type: 'mcp_tool_call',
    ...toolOwner(item),
    arguments: argumentsOf(item),
    result: status === 'completed' ? { content: [{ type: 'text', text: modelText }], structured_content: null } : null,
    error: status === 'failed' ? { message: problem } : null,
    status,
  }
}
