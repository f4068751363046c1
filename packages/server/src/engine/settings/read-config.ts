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

/** The configuration in a folder of this machine. */
export interface ConfigHere {
  /** All layers. */
  readonly effective: EffectiveConfig
  /** Without the project's. */
  readonly own: Config
  /** What the folder's project brings, whether it counts or not. */
  readonly project: Project | null
}

interface Around {
  readonly home: string
  readonly projects: Pick<Projects, 'of'>
}

/** A project on another machine is not asked: what it holds is not ours to bind trust to. */
export function configHere(cwd: string, overrides: Overrides, { home, projects }: Around): ConfigHere {
  const own = readConfig(home, overrides)
  const project = chosenEnvironment(own.values) === null ? projects.of(cwd) : null
  const effective = project?.state === 'trusted' ? readConfig(home, overrides, project) : own
  return { effective, own: own.values, project }
}

/** What a caller asks for by a profile and by `-c`, which its flags outrank; what the files say of themselves is not asked for. */
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
