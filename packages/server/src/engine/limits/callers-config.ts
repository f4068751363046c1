import { layerOfOverrides } from '@parley/config'
import { rejection } from '../../replies/rejection.ts'

/** Config keys that could start programs, send keys elsewhere, or widen what commands may do. */
const forbiddenKeys: ReadonlySet<string> = new Set([
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
 * Throws `aboveCeiling` for config that could bypass the server's limits. A tool's caller is often a model under the
 * influence of others, and a user of a team's server is not who runs it.
 */
export function assertCallersConfig(config: Record<string, unknown> = {}): void {
  const key = Object.keys(layerOfOverrides(config, 'config').values).find((name) => forbiddenKeys.has(name))
  if (key === undefined) return
  throw rejection(
    'aboveCeiling',
    `config: "${key}" is not for callers of a tool or users of a team: it could start programs, send keys elsewhere or widen what commands may do. Set it in config.toml, or start the server with --max-sandbox danger-full-access.`,
    { flag: '--max-sandbox' },
  )
}
