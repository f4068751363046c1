import type { RequestPermissionRequest, RequestPermissionResponse, ToolCall } from '@agentclientprotocol/sdk'
import type { OfferedServer } from '@parley/engine'
import { confusableWarnings, hiddenWarnings, onOneLine } from '@parley/protocol/question'
import { joinShellWords } from '@parley/text'
import { fenced, textContent } from '../updates/call-updates.ts'

const idOf = ({ hash }: OfferedServer) => `editor-server-${hash.slice(0, 16)}`

/** Shows the start of a server as a call, to which the question about it belongs. */
export function startOfServer(server: OfferedServer): ToolCall {
  const { name, words, folder, variables, limits } = server
  const command = joinShellWords(words)
  const lines = [
    onOneLine(command),
    `in ${onOneLine(folder)}`,
    ...(variables.length === 0 ? [] : [`with the variables ${onOneLine(variables.join(', '))}`]),
    '',
    `Limits: ${limits}.`,
    ...[...hiddenWarnings(command), ...confusableWarnings(command, { hasPrograms: true })].map(onOneLine),
    'Your answer is kept for this command in this folder.',
  ]
  return {
    toolCallId: idOf(server),
    title: `Start the MCP server “${name}” that this editor hands over`,
    kind: 'execute',
    status: 'pending',
    content: [textContent(fenced(lines.join('\n')))],
  }
}

/** Returns the update of that call with the result of the question. */
export function endOfStart(server: OfferedServer, verdict: 'trusted' | 'declined' | null) {
  const said = { trusted: 'It is started.', declined: 'It is not started, in no later session either.' }
  const text = verdict === null ? 'It is not started: there was no answer.' : said[verdict]
  return {
    toolCallId: idOf(server),
    status: verdict === 'trusted' ? ('completed' as const) : ('failed' as const),
    content: [...(startOfServer(server).content ?? []), textContent(text)],
  }
}

/** Returns the question if a server may be started. Its answers are kept, which their kinds say. */
export function questionAbout(sessionId: string, server: OfferedServer): RequestPermissionRequest {
  return {
    sessionId,
    toolCall: startOfServer(server),
    options: [
      { optionId: 'approved', kind: 'allow_always', name: 'Start it, also in later sessions here' },
      { optionId: 'denied', kind: 'reject_always', name: 'Never start it here' },
    ],
  }
}

/** Returns the answer; null where the client did not answer. An option that was not offered declines. */
export function verdictOf({ outcome }: RequestPermissionResponse): 'trusted' | 'declined' | null {
  if (outcome.outcome === 'cancelled') return null
  return outcome.optionId === 'approved' ? 'trusted' : 'declined'
}
