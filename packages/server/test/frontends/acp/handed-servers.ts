import type { McpServer } from '@agentclientprotocol/sdk'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { McpPlace } from '../../tools/mcp/support/mcp-place.ts'
import type { Editor } from './editor.ts'

export const mcpPatience = { firstRequestMs: 15_000, restartDelaysMs: [5] } as const
export const answers = (count: number) => scriptedModel(...Array.from({ length: count }, () => ({ text: 'ok' })))

/** Server as an editor hands it over, with more variables than the mark of the test. */
export function handed(place: McpPlace, more: Readonly<Record<string, string>> = {}, name = 'ugly'): McpServer {
  const { env, ...launch } = place.launch(name, 'plain')
  const variables = Object.entries(more).map(([variable, value]) => ({ name: variable, value }))
  return { name, ...launch, env: [...env, ...variables] }
}

const isStart = ({ toolCall }: Editor['questions'][number]) => toolCall.toolCallId.startsWith('editor-server-')
/** Questions of an editor if a server may be started. */
export const startsAsked = ({ questions }: Editor) => questions.filter(isStart)

export function argsOf(one: McpServer): string[] {
  return 'args' in one ? one.args : []
}

export function envOf(one: McpServer) {
  return 'env' in one ? one.env : []
}
