import type { Project, Projects } from '@parley/policy'
import type { Overrides } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { type ConfigHere, readConfig } from '../settings/read-config.ts'
import { type ProjectMachine, projectThere } from './project-at.ts'

/** Configuration of a conversation, with the project of its folder. */
export interface ConversationProject {
  /** Configuration as of the opening; in an environment without a reachable machine then, as of the machine's return. */
  readonly config: ConfigHere
  /** True once the project was read. */
  readonly isRead: boolean
  /** Error of the last reading, while its machine is away; else null. */
  readonly problem: EnvironmentUnreachableError | null
  /**
   * Reads the project, unless it was read. It stays unread while its machine cannot be reached. Rejects with
   * `StorageError` while the store with the decision about it is away.
   */
  read(): Promise<void>
  /** Resolves with the project as it is now. Rejects with `EnvironmentUnreachableError` and `StorageError`. */
  latest(): Promise<Project | null>
}

/** Returns the configuration of a conversation in a folder of this machine, which was read with its project. */
export function projectHere(
  config: ConfigHere,
  cwd: () => string,
  { projects }: { readonly projects: Pick<Projects, 'of'> },
): ConversationProject {
  const latest = async () => projects.of(cwd())
  return { config, isRead: true, problem: null, read: async () => undefined, latest }
}

interface EnvironmentConfig {
  /** Configuration without a project. */
  readonly config: ConfigHere
  readonly environment: ProjectMachine
  readonly overrides: Overrides
  readonly cwd: () => string
}

/**
 * Returns the configuration of a conversation in an environment; `read` fetches its project. The project contributes
 * tool servers, hooks, rules, skills and commands; its settings are decided where a conversation begins.
 */
export function projectInEnvironment(
  { config: own, environment, overrides, cwd }: EnvironmentConfig,
  { home, projects }: { readonly home: string; readonly projects: Pick<Projects, 'remote'> },
): ConversationProject {
  let config = own
  let isRead = false
  let problem: EnvironmentUnreachableError | null = null
  let reading: Promise<void> | null = null
  const latest = () => projectThere(environment, cwd(), projects)
  const readOnce = async () => {
    try {
      const project = await latest()
      config = withProject(own, project, () => readConfig(home, overrides, project))
      isRead = true
      problem = null
    } catch (error) {
      if (!(error instanceof EnvironmentUnreachableError)) throw error
      problem = error
    } finally {
      reading = null
    }
  }
  return {
    get config() {
      return config
    },
    get isRead() {
      return isRead
    },
    get problem() {
      return problem
    },
    read() {
      if (isRead) return Promise.resolve()
      reading ??= readOnce()
      return reading
    },
    latest,
  }
}

function withProject(
  { effective, own }: ConfigHere,
  project: Project | null,
  read: () => ConfigHere['effective'],
): ConfigHere {
  if (project?.state !== 'trusted') return { effective, own, project }
  const { mcp_servers: servers } = read().values
  const values = { ...effective.values, ...(servers === undefined ? {} : { mcp_servers: servers }) }
  return { effective: { ...effective, values }, own, project }
}
