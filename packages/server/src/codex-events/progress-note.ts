import type { EventMsg } from './event-msg.ts'

const maxLength = 200

/** One line on what is going on, for clients that show progress; null for what is no step of its own. */
export function progressNote(message: EventMsg): string | null {
  switch (message.type) {
    case 'task_started':
      return 'Working'
    case 'exec_command_begin':
      return line(`$ ${message.parsed_cmd[0]?.cmd ?? ''}`)
    case 'patch_apply_begin':
      return line(`Patch ${Object.keys(message.changes).join(', ')}`)
    case 'mcp_tool_call_begin':
      return line(`${message.invocation.server}: ${message.invocation.tool}`)
    case 'exec_approval_request':
    case 'apply_patch_approval_request':
    case 'elicitation_request':
      return 'Waiting for an answer'
    case 'agent_message':
    case 'stream_error':
      return line(message.message)
    default:
      return null
  }
}

function line(text: string): string {
  const [first = ''] = text.trim().split('\n', 1)
  const characters = [...first]
  return characters.length <= maxLength ? first : `${characters.slice(0, maxLength - 1).join('')}…`
}
