export {
  type Config,
  ConfigError,
  type EnvironmentSettings,
  isProtectedAddress,
  type McpServerConfig,
  type ModelSettings,
  type ProviderSettings,
} from './config-schema.ts'
export { type EffectiveConfig, readEffectiveConfig, readProfile, valuesByKey } from './effective-config.ts'
export { type ConfiguredHook, configuredHooks, type HooksConfig } from './hook-config.ts'
export { type Layer, layerOfOverrides } from './layer.ts'
export { printable, projectConfigPath, projectLayer } from './project-layer.ts'
export { isSafe, startSafely } from './safe-start.ts'
export { secretsOfConfig, shownValue } from './secrets.ts'
export { withSetting } from './set-value.ts'
export {
  chosenEnvironment,
  environmentNamed,
  flagsAsConfig,
  folderThere,
  networkPatienceMs,
  settingsFromConfig,
} from './settings-from-config.ts'
export { looserSandbox, stricterSandbox } from './strictness.ts'
