import { resolve } from 'node:path'
import type { Overrides, Settings } from '@parley/protocol'
import type { Config } from './config-schema.ts'
import { chosenEnvironment } from './environments.ts'

/** Returns the settings of a new conversation. `provider` is the chosen one, `provider.model` its default model. */
export function settingsFromConfig(
  config: Config,
  provider: { id: string; model: string },
  overrides: Overrides & { cwd: string; baseInstructions?: string },
): Settings {
  const sandbox = config.sandbox_mode ?? 'workspace-write'
  const effort = config.model_reasoning_effort
  const { profile, policyFile, baseInstructions } = overrides
  const environment = chosenEnvironment(config)
  // Folders in the file are folders of this machine.
  const ownRoots = environment === null ? (config.sandbox_workspace_write?.writable_roots ?? []) : []
  const roots = [...ownRoots, ...(overrides.addDirs ?? [])]
  return {
    model: config.model ?? provider.model,
    modelProvider: provider.id,
    ...(effort === undefined ? {} : { effort }),
    approvalPolicy: config.approval_policy ?? 'on-request',
    sandbox,
    // As long as nobody has asked what enforces the mode where the conversation works.
    enforcement: 'none',
    writableRoots: roots.map((root) => resolve(overrides.cwd, root)),
    ...(config.sandbox_workspace_write?.network_access === true ? { network: true } : {}),
    ...(config.sandbox_workspace_write?.allow_unix_sockets === true ? { unixSockets: true } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(baseInstructions === undefined ? {} : { baseInstructions }),
    ...(policyFile === undefined ? {} : { policyFile: resolve(overrides.cwd, policyFile) }),
    ...(environment === null ? {} : { environment }),
  }
}

/** Returns the settings that a request names, under their config keys. */
export function flagsAsConfig(flags: Overrides): Config {
  const { model, modelProvider, effort, approvalPolicy, sandbox, environment } = flags
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { model_provider: modelProvider }),
    ...(effort === undefined ? {} : { model_reasoning_effort: effort }),
    ...(approvalPolicy === undefined ? {} : { approval_policy: approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox_mode: sandbox }),
    ...(environment === undefined ? {} : { environment }),
  }
}
