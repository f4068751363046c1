import type { EventMsg, FileChange, FileChanges } from './event-msg.ts'

const keptLength = 500

/** Returns a message whose long texts are cut and marked, for a list that has to fit one line. */
export function shortened(message: EventMsg): EventMsg {
  switch (message.type) {
    case 'exec_command_end': {
      const text = cut(message.aggregated_output)
      return { ...message, stdout: text, aggregated_output: text, formatted_output: cut(message.formatted_output) }
    }
    case 'patch_apply_begin':
    case 'apply_patch_approval_request':
      return { ...message, changes: cutChanges(message.changes) }
    case 'turn_diff':
      return { ...message, unified_diff: cut(message.unified_diff) }
    case 'mcp_tool_call_end': {
      const { result } = message
      if ('Err' in result) return { ...message, result: { Err: cut(result.Err) } }
      const content = result.Ok.content.map(({ text }) => ({ type: 'text' as const, text: cut(text) }))
      return { ...message, result: { Ok: { content, isError: false } } }
    }
    default:
      return message
  }
}

function cutChanges(changes: FileChanges): FileChanges {
  return Object.fromEntries(Object.entries(changes).map(([path, change]) => [path, cutChange(change)]))
}

function cutChange(change: FileChange): FileChange {
  if ('add' in change) return { add: { content: cut(change.add.content) } }
  if ('delete' in change) return { delete: { content: cut(change.delete.content) } }
  return { update: { ...change.update, unified_diff: cut(change.update.unified_diff) } }
}

function cut(text: string): string {
  const leftOut = text.length - keptLength
  if (leftOut <= 0) return text
  // A surrogate pair is not split.
  const end = /[\ud800-\udbff]/.test(text.charAt(keptLength - 1)) ? keptLength - 1 : keptLength
  return `${text.slice(0, end)}[… ${text.length - end} characters left out …]`
}
