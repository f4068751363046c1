import { type Config, chosenEnvironment, type EffectiveConfig } from '@parley/config'
import type { Project, Projects } from '@parley/policy'
import type { Overrides } from '@parley/protocol'
import { readConfig } from './read-config.ts'

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
