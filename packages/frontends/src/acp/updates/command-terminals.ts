import type { ClientCapabilities, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import type { ItemId, ItemOf } from '@parley/protocol'
import { outputText } from '@parley/protocol/calls'

/*
 * ACP embeds only terminals in which the client runs a command itself. Clients that show others, too, say so in `_meta`,
 * as Zed does: they make a terminal of a call's id, to which the agent sends output and end.
 */

export function showsTerminals({ _meta }: ClientCapabilities): boolean {
  return _meta?.['terminal_output'] === true
}

export function terminalContent(toolCallId: ItemId): ToolCallContent {
  return { type: 'terminal', terminalId: toolCallId }
}

/** Returns what makes the terminal of a call; it belongs to the first update of the call. */
export function terminalInfo({ id, cwd }: ItemOf<'commandExecution'>) {
  return { _meta: { terminal_info: { terminal_id: id, cwd } } }
}

export function terminalOutput(toolCallId: ItemId, text: string): SessionUpdate {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    _meta: { terminal_output: { terminal_id: toolCallId, data: text } },
  }
}

export function terminalExit({ id, exitCode, signal }: ItemOf<'commandExecution'>) {
  return { _meta: { terminal_exit: { terminal_id: id, exit_code: exitCode ?? null, signal: signal ?? null } } }
}

/** Bytes of output that come as events, from its beginning. */
const streamedBytes = 64 * 1024

/** Returns the output that a client lacks when a command has ended. `sentLength` is in characters. */
export function restOfOutput({ output }: ItemOf<'commandExecution'>, sentLength: number): string {
  if (output === undefined) return ''
  if (sentLength === 0) return outputText(output)
  const { head, tail, omittedBytes, totalBytes } = output
  if (omittedBytes === 0) return (head + tail).slice(sentLength)
  return totalBytes <= streamedBytes ? '' : `\n[… of ${totalBytes} bytes, these are the last …]\n${tail}`
}
