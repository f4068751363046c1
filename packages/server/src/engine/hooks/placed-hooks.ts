import { rmSync } from 'node:fs'
import { type ConfiguredHook, configuredHooks } from '@parley/config'
import { type Host, makeOwnFolder, readableTmp } from '@parley/host'
import { copyTrusted, type Project, serverSandboxMode } from '@parley/policy'
import type { HookRef, SandboxMode } from '@parley/protocol'
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
  /** Returns the folder, which is made at the first call; the reason where it must not be used. */
  readonly folder: () => { readonly path: string } | { readonly problem: string }
}

/** Hooks of a conversation: the user's, then those of a trusted project. */
export interface PlacedHooks extends Disposable {
  readonly hooks: readonly PlacedHook[]
}

type CopyPorts = Pick<Host, 'startGuard' | 'removeWhenKilled'>

/** Returns the hooks that a configuration has. Disposing removes the copy of the project's files. */
export function placedHooks({ own, project }: ConfigHere, processes: CopyPorts): PlacedHooks {
  const users = configuredHooks(own.hooks).map((hook): PlacedHook => ({ ...hook, source: 'user', copy: null }))
  if (project === null || project.state !== 'trusted' || project.isSafe || project.hooks.length === 0)
    return { hooks: users, [Symbol.dispose]: () => undefined }
  const { copy, remove } = trustedCopy(project, own.sandbox_workspace_write?.network_access === true, processes)
  const projects = project.hooks.map(
    (hook): PlacedHook => ({ ...hook, outsideSandbox: false, source: 'project', copy }),
  )
  return { hooks: [...users, ...projects], [Symbol.dispose]: remove }
}

function trustedCopy(project: Project, network: boolean, processes: CopyPorts) {
  const { root, entry } = project
  let made: ReturnType<TrustedCopy['folder']> | null = null
  let forget: () => void = () => undefined
  const make = () => {
    const path = makeOwnFolder('hooks', readableTmp)
    processes.startGuard()
    forget = processes.removeWhenKilled(path)
    const problem = copyTrusted(root, project.programs().files, path)
    if (problem === null) return { path }
    rmSync(path, { recursive: true, force: true })
    forget()
    return { problem }
  }
  const copy: TrustedCopy = {
    root,
    modeIn: serverSandboxMode,
    network,
    mayRunUnsandboxed: entry?.outsideSandbox === true,
    folder() {
      made ??= make()
      return made
    },
  }
  const remove = () => {
    if (made === null || 'problem' in made) return
    rmSync(made.path, { recursive: true, force: true })
    forget()
  }
  return { copy, remove }
}
