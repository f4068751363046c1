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
export { type Layer, layerOfOverrides } from './layer.ts'
export { printable, projectConfigPath, projectLayer } from './project-layer.ts'
export { secretsOfConfig, shownValue } from './secrets.ts'
export { withSetting } from './set-value.ts'
export {
  chosenEnvironment,
  environmentNamed,
  flagsAsConfig,
  folderThere,
  settingsFromConfig,
} from './settings-from-config.ts'
export { isStricterSandbox, looserSandbox, stricterSandbox } from './strictness.ts'
