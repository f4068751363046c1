import {
  type Config,
  chosenEnvironment,
  type EffectiveConfig,
  flagsAsConfig,
  layerOfOverrides,
  readEffectiveConfig,
  readProfile,
} from '@parley/config'
import type { Project, Projects } from '@parley/policy'
import type { Overrides } from '@parley/protocol'

/** Reads all layers of a request's configuration. The caller passes a project only if it is trusted. */
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

/** Configuration in a folder of this machine. */
export interface ConfigHere {
  /** Values of all layers. */
  readonly effective: EffectiveConfig
  /** Values of all layers but the project's. */
  readonly own: Config
  /** Configuration of the folder's project, trusted or not. */
  readonly project: Project | null
}

interface Around {
  readonly home: string
  readonly projects: Pick<Projects, 'of'>
}

/**
 * Reads the configuration of a folder, with its project's if trusted. Projects of other machines are ignored: trust is
 * bound to local files.
 */
export function configHere(cwd: string, overrides: Overrides, { home, projects }: Around): ConfigHere {
  const own = readConfig(home, overrides)
  const project = chosenEnvironment(own.values) === null ? projects.of(cwd) : null
  const effective = project?.state === 'trusted' ? readConfig(home, overrides, project) : own
  return { effective, own: own.values, project }
}

/** Returns the overrides that a caller chose by a profile and by `-c`; values from files are not choices. */
export function choicesIn({ config = {}, profile }: Overrides, home: string): Overrides {
  const own = layerOfOverrides(config, '-c').values
  const name = profile ?? own.profile
  const chosen = name === undefined ? {} : readProfile(home, name)
  const { model, model_provider: modelProvider, ...others } = { ...chosen, ...own }
  const { model_reasoning_effort: effort, approval_policy: approvalPolicy, sandbox_mode: sandbox } = others
  const { environment } = others
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { modelProvider }),
    ...(effort === undefined ? {} : { effort }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(environment === undefined ? {} : { environment }),
  }
}

/** Returns only the overrides that choose a configuration: `-c` values and the profile. */
export function configOnly({ config, profile }: Overrides): Overrides {
  return { ...(config === undefined ? {} : { config }), ...(profile === undefined ? {} : { profile }) }
}

type EnvironmentSection = NonNullable<Config['shell_environment']>

/** Returns the rules for the variables of commands, with defaults for what the section leaves out. */
export function definedRules({ include = [], exclude = [], set = {} }: EnvironmentSection = {}) {
  return { include, exclude, set }
}
