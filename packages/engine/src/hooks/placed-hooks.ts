import { rmSync } from 'node:fs'
import { type ConfiguredHook, configuredHooks } from '@parley/config'
import { type Host, makeOwnFolder, readableTmp } from '@parley/host'
import {
  filesRunInPlace,
  type ProgramFile,
  type Project,
  readTrusted,
  serverSandboxMode,
  writeCopy,
} from '@parley/policy'
import type { HookRef, SandboxMode } from '@parley/protocol'
import type { Environment } from '@parley/workspace'
import type { ConversationProject } from '../project/conversation-project.ts'
import type { ConfigHere } from '../settings/read-config.ts'

/** Hook with the configuration that it stands in. */
export interface PlacedHook extends ConfiguredHook {
  readonly source: HookRef['source']
  /** Copy of the project's files that it runs in; null for a hook of the user. */
  readonly copy: TrustedCopy | null
}

/** Read-only copy of exactly the files of a project that were trusted. */
interface TrustedCopy {
  readonly root: string
  /** Mode of the sandbox for a conversation with this mode: full access is not for programs of a project. */
  readonly modeIn: (mode: SandboxMode) => SandboxMode
  /** True when the user's own configuration gives programs the network. */
  readonly network: boolean
  /** True when the user trusted the project on a machine without a sandbox. */
  readonly mayRunUnsandboxed: boolean
  /** Returns the trusted files that a hook runs where they lie in the project, which is not copied for it. */
  readonly inPlace: (hook: ConfiguredHook) => readonly ProgramFile[]
  /** Resolves with the folder, which is made at the first call; with the reason where it must not be used. */
  readonly folder: () => Promise<CopyFolder>
}

type CopyFolder = { readonly path: string } | { readonly problem: string }

/** Hooks of a conversation: the user's, then the hooks of a trusted project. */
export interface PlacedHooks extends Disposable {
  readonly hooks: readonly PlacedHook[]
}

interface CopyPorts {
  readonly processes: Pick<Host, 'startGuard' | 'removeWhenKilled'>
  /** Keeps copies on the machine that hooks run on; null for this one. */
  readonly copies: Environment['copies']
}

/** Returns the hooks of a conversation, with the project's once the project was read. */
export function hooksOf(project: Pick<ConversationProject, 'config'>, ports: CopyPorts): PlacedHooks {
  let config = project.config
  let placed = placedHooks(config, ports)
  return {
    get hooks() {
      if (project.config !== config) {
        placed[Symbol.dispose]()
        config = project.config
        placed = placedHooks(config, ports)
      }
      return placed.hooks
    },
    [Symbol.dispose]: () => placed[Symbol.dispose](),
  }
}

/** Returns the hooks that a configuration has. Disposing removes the copy of the project's files. */
export function placedHooks({ own, project }: Pick<ConfigHere, 'own' | 'project'>, ports: CopyPorts): PlacedHooks {
  const users = configuredHooks(own.hooks).map((hook): PlacedHook => ({ ...hook, source: 'user', copy: null }))
  if (project === null || project.state !== 'trusted' || project.isSafe || project.hooks.length === 0)
    return { hooks: users, [Symbol.dispose]: () => undefined }
  const { folder, remove } = copyOf(project, ports)
  const copy: TrustedCopy = {
    root: project.root,
    modeIn: serverSandboxMode,
    network: own.sandbox_workspace_write?.network_access === true,
    mayRunUnsandboxed: project.entry?.outsideSandbox === true,
    inPlace: (hook) => filesRunInPlace(hook, project),
    folder,
  }
  const projects = project.hooks.map(
    (hook): PlacedHook => ({ ...hook, outsideSandbox: false, source: 'project', copy }),
  )
  return { hooks: [...users, ...projects], [Symbol.dispose]: remove }
}

interface Copy {
  readonly folder: TrustedCopy['folder']
  readonly remove: () => void
}

function copyOf(project: Project, { processes, copies }: CopyPorts): Copy {
  if (copies === null) return copyHere(project, processes)
  const folder = async (): Promise<CopyFolder> => {
    const trusted = readTrusted(project)
    return 'problem' in trusted ? trusted : { path: await copies.place(trusted.files) }
  }
  return { folder, remove: () => undefined }
}

function copyHere(project: Project, processes: CopyPorts['processes']): Copy {
  let made: CopyFolder | null = null
  let forget: () => void = () => undefined
  const makeFrom = (trusted: ReturnType<typeof readTrusted>): CopyFolder => {
    if ('problem' in trusted) return trusted
    const path = makeOwnFolder('hooks', readableTmp)
    processes.startGuard()
    forget = processes.removeWhenKilled(path)
    const problem = writeCopy(trusted.files, path)
    if (problem === null) return { path }
    rmSync(path, { recursive: true, force: true })
    forget()
    return { problem }
  }
  return {
    folder() {
      made ??= makeFrom(readTrusted(project))
      return Promise.resolve(made)
    },
    remove() {
      if (made === null || 'problem' in made) return
      rmSync(made.path, { recursive: true, force: true })
      forget()
    },
  }
}
