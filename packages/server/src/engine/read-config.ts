import { type EffectiveConfig, flagsAsConfig, readEffectiveConfig } from '@parley/config'
import type { Project } from '@parley/policy'
import type { Overrides } from '@parley/protocol'

/** All layers of a request; those of a project only where it is handed in, which is for one that is trusted. */
export function readConfig(home: string, overrides: Overrides, project: Project | null = null): EffectiveConfig {
  const { profile, config } = overrides
  return readEffectiveConfig({
    home,
    flags: flagsAsConfig(overrides),
    ...(project === null ? {} : { project: project.layer }),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
  })
}
