import { restartMcpServer } from '../../engine/context/conversation-mcp.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Handlers } from './handlers.ts'

type Names =
  | 'model/list'
  | 'config/read'
  | 'mcp/list'
  | 'mcp/restart'
  | 'server/checkup'
  | 'policy/test'
  | 'policy/replay'
  | 'policy/why'

/** What is asked of the server and not of a conversation that is open. The code behind what is rare is loaded then. */
export function createServerHandlers(engine: Engine): Pick<Handlers, Names> {
  const { policy } = engine
  return {
    'model/list': () => engine.listModels(),
    'config/read': (params) => engine.readConfig(params),
    'mcp/list': () => ({ servers: engine.mcpServers.describe() }),
    'mcp/restart': ({ name }) => restartMcpServer(engine.mcpServers, name),
    'server/checkup': async (params) => (await import('../../engine/checkup/check-up.ts')).checkUp(params, policy),
    'policy/test': async (params) => (await import('../../engine/policy/test-command.ts')).testCommand(params, policy),
    'policy/replay': async (params) =>
      (await import('../../engine/policy/replay-calls.ts')).replayCalls(params, policy),
    'policy/why': async (params) => (await import('../../engine/policy/explain-call.ts')).explainCall(params, policy),
  }
}
