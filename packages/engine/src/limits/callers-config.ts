import { type Config, layerOfOverrides } from '@parley/config'
import { rejection } from '../replies/rejection.ts'

/**
 * Config keys that callers may set. This is the only list: every other key, now and later, is for the operator of the
 * server, since it could start programs (`hooks`), send keys elsewhere (`network`) or widen what commands may do.
 */
const callersKeys: ReadonlySet<string> = new Set([
  'approval_policy',
  'compact_model',
  'compact_prompt',
  'fallback_models',
  'limits',
  'model',
  'model_auto_compact_percent',
  'model_auto_compact_token_limit',
  'model_context_window',
  'model_max_output_tokens',
  'model_provider',
  'model_reasoning_effort',
  'models',
  'network_patience',
  'profile',
  'sandbox_mode',
  // Keys of a terminal, which no server reads.
  'notify',
  'tui',
] satisfies readonly (keyof Config)[])

/** Tells if callers may set a dotted key; then users of a team may know its value, too. */
export function isCallersKey(key: string): boolean {
  return callersKeys.has(key.split('.', 1)[0] ?? '')
}

const widens = 'it could start programs, send keys elsewhere or widen what commands may do'

const advice = {
  caller: `for callers of a tool: ${widens}. Set it in config.toml, or start the server with --max-sandbox danger-full-access.`,
  user: `for users of a team: ${widens}. Whoever runs the server sets it in its config.toml.`,
} as const

/**
 * Throws `aboveCeiling` for config that could bypass the server's limits. A tool's caller is often a model under the
 * influence of others, and a user of a team's server is not its operator.
 */
export function assertCallersConfig(config: Record<string, unknown> = {}, who: keyof typeof advice = 'caller'): void {
  const key = Object.keys(layerOfOverrides(config, 'config').values).find((name) => !callersKeys.has(name))
  if (key === undefined) return
  const detail = who === 'caller' ? { flag: '--max-sandbox' } : {}
  throw rejection('aboveCeiling', `config: "${key}" is not ${advice[who]}`, detail)
}
