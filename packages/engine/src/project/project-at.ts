import { type Config, environmentNamed, folderThere } from '@parley/config'
import type { Sandboxes } from '@parley/host'
import { StorageError } from '@parley/journal'
import { type Project, type Projects, projectRoot } from '@parley/policy'
import type { Rights } from '@parley/protocol'
import {
  type Environment,
  type Environments,
  EnvironmentUnreachableError,
  machineNamed,
  whenUnknown,
} from '@parley/workspace'
import { repositoryRoot } from '../context/session-context.ts'
import { rejection } from '../replies/rejection.ts'
import { existingFolder } from '../settings/existing-folder.ts'
import { readConfig } from '../settings/read-config.ts'

export interface ProjectPorts {
  readonly home: string
  readonly projects: Projects
  readonly environments: Pick<Environments, 'take' | 'serves'>
  readonly sandboxes: Pick<Sandboxes, 'report'>
}

/** Folder that a client names, here or in an environment. */
export interface NamedFolder {
  readonly cwd: string
  readonly environment?: string
}

/** Project of a folder, with the sandboxes of its machine. */
export interface ProjectAtFolder {
  readonly project: Project | null
  /** Name of the place that trust would be bound to. */
  readonly place: string
  readonly sandboxes: Pick<Sandboxes, 'report'>
}

/**
 * Finds the project of a folder and hands it to `use`, while its machine is connected. Rejects with `cwdMissing`,
 * `configInvalid`, `environmentUnreachable` and `storageFailed`.
 */
export async function withProject<Result>(
  { cwd, environment: name }: NamedFolder,
  { person }: Pick<Rights, 'person'>,
  ports: ProjectPorts,
  use: (found: ProjectAtFolder) => Result | Promise<Result>,
): Promise<Result> {
  if (name === undefined) {
    const folder = existingFolder(cwd)
    const place = projectRoot(folder)?.folder ?? folder
    return use({ project: ports.projects.of(folder), place, sandboxes: ports.sandboxes })
  }
  const config = readConfig(ports.home, {}).values
  const users = usersOf(person, name, config)
  const { environment, release } = ports.environments.take({ environment: name, config, users })
  try {
    const folder = folderThere(name, environmentNamed(name, config), cwd)
    await assertFolder(environment, folder)
    const project = await projectThere(environment, folder, ports.projects)
    const root = project === null ? folder : project.root
    return await use({ project, place: `${name}:${root}`, sandboxes: environment.sandboxes })
  } catch (error) {
    if (error instanceof StorageError && error.retryable) throw undecided(error)
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    throw rejection('environmentUnreachable', error.message, { environment: name })
  } finally {
    await release()
  }
}

function undecided({ code, path }: StorageError) {
  return rejection(
    'storageFailed',
    `Decisions about projects in environments lie in the store ${path}, which does not answer. Try again when it is back.`,
    { errno: code },
  )
}

/** Returns the owner of the machine of an environment, if the machine connects by itself. Throws `ConfigError`. */
export function machineOwner(name: string, config: Config): string | null {
  const settings = environmentNamed(name, config)
  return settings.url === undefined ? machineNamed(settings.connected).owner : null
}

/** Returns the user that a request is for: its sender, or the owner of the machine for the operator of the server. */
function usersOf(person: Rights['person'], name: string, config: Config): readonly string[] {
  if (person.kind === 'user') return [person.name]
  const owner = machineOwner(name, config)
  return owner === null ? [] : [owner]
}

/** Facts of a machine that a project of it is read by. */
export type ProjectMachine = Pick<Environment, 'name' | 'machine' | 'reachedBy' | 'reach' | 'files' | 'home' | 'env'>

/** Fetches the project of a folder of another machine. Rejects with `EnvironmentUnreachableError`. */
export async function projectThere(
  environment: ProjectMachine,
  cwd: string,
  projects: Pick<Projects, 'remote'>,
): Promise<Project | null> {
  await environment.reach()
  const { name, machine, reachedBy, files, home: userHome, env } = environment
  if (name === null) throw new Error('the project of this machine is not fetched')
  const real = await files.realPath(cwd).catch(whenUnknown(cwd))
  const root = (await repositoryRoot(real, files))?.folder ?? real
  const searchPath = env['PATH'] ?? ''
  return projects.remote({ environment: name, machine, reachedBy, root, searchPath, userHome, files })
}

/** Rejects with `cwdMissing` where an environment has no such folder. */
export async function assertFolder({ files, reach, name: environment }: Environment, cwd: string): Promise<void> {
  await reach()
  const isFolder = await files.look(cwd).then(({ kind }) => kind === 'folder', whenUnknown(false))
  if (!isFolder) throw rejection('cwdMissing', `There is no folder ${cwd} in environment ${environment}.`, { cwd })
}
