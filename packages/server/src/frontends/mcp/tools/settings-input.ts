import { resolve } from 'node:path'
import type { ApprovalPolicy, ParamsOf, SandboxMode } from '@parley/protocol'
import * as z from 'zod'

export const approvalPolicyInput = z
  .enum(['untrusted', 'on-failure', 'on-request', 'never'])
  .optional()
  .describe('When a command or patch needs a yes.')

export const sandboxInput = z
  .enum(['read-only', 'workspace-write', 'danger-full-access'])
  .optional()
  .describe('What commands and patches may write to.')

export const configInput = z
  .record(z.string(), z.unknown())
  .optional()
  // Written as clients expect a free-form object to be described.
  .meta({ description: 'Config settings that override those of config.toml.', additionalProperties: true })

export const modelInput = z.string().min(1).optional().describe('Model to use in place of the configured one.')
export const profileInput = z.string().optional().describe('A named set of config values from config.toml.')

export interface StartSettings {
  readonly cwd?: string | undefined
  readonly model?: string | undefined
  readonly profile?: string | undefined
  readonly approvalPolicy?: ApprovalPolicy | undefined
  readonly sandbox?: SandboxMode | undefined
  readonly config?: Record<string, unknown> | undefined
  readonly baseInstructions?: string | undefined
}

/** Returns the engine's parameters for a new conversation. A relative folder is resolved against the server's own. */
export function startParams({ cwd = '.', ...settings }: StartSettings): ParamsOf<'conversation/create'> {
  return { cwd: resolve(cwd), ...given(settings) }
}

type Given<Settings> = { [Key in keyof Settings]?: Exclude<Settings[Key], undefined> }

/** Returns the settings without undefined keys. */
export function given<Settings extends object>(settings: Settings): Given<Settings> {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Given<Settings> // narrowed: the same keys without undefined ones
}
