import type { ProgressToken } from '@modelcontextprotocol/server'
import type { EventMsg } from '../../../codex-events/event-msg.ts'

/** Interval of progress notifications, since clients give up on a silent request. */
const heartbeatMs = 10_000

interface Progress {
  note(message: EventMsg): void
  stop(): void
}

type Notify = (method: 'notifications/progress', params: Record<string, unknown>) => void

/**
 * Sends progress notifications with a growing number and a line of text, to clients that gave a token, also while
 * nothing happens.
 */
export function createProgress(token: ProgressToken | undefined, notify: Notify, everyMs = heartbeatMs): Progress {
  if (token === undefined) return { note: () => undefined, stop: () => undefined }
  let progress = 0
  let line = 'Working'
  const send = () => {
    progress += 1
    notify('notifications/progress', { progressToken: token, progress, message: line })
  }
  const heartbeat = setInterval(send, everyMs).unref()
  return {
    note(message) {
      const note = progressNote(message)
      if (note === null) return
      line = note
      heartbeat.refresh()
      send()
    },
    stop: () => clearInterval(heartbeat),
  }
}

const maxLength = 200

/** Returns one line about the current step; null for messages that are no step. */
function progressNote(message: EventMsg): string | null {
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
