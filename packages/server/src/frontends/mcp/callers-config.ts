import { layerOfOverrides } from '@parley/config'
import { rejection } from '../../engine/replies/rejection.ts'

/** What would start programs, send keys elsewhere, or widen what commands may do. */
const notForCallers: ReadonlySet<string> = new Set([
  'environment',
  'environments',
  'mcp_servers',
  'model_providers',
  'openai_base_url',
  'profiles',
  'sandbox_workspace_write',
  'shell_environment',
])

/**
 * Whoever calls a tool is often a model that somebody else has talked to: by `config` it must not get around the limits
 * that this server was started with.
 */
export function assertCallersConfig(config: Record<string, unknown> = {}): void {
  const key = Object.keys(layerOfOverrides(config, 'config').values).find((name) => notForCallers.has(name))
  if (key === undefined) return
  throw rejection(
    'aboveCeiling',
    `config: "${key}" is not for callers of a tool: it could start programs, send keys elsewhere or widen what commands may do. Set it in config.toml, or start the server with --max-sandbox danger-full-access.`,
    { flag: '--max-sandbox' },
  )
}
