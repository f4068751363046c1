import type { Config } from '@parley/config'
import type { SandboxMode } from '@parley/protocol'
import type { Project } from './project.ts'
import type { ProgramFile } from './project-programs.ts'

/** What a server that a project configures is kept to. */
export interface Confinement {
  /** Of the project: the only folder it may write to. */
  readonly root: string
  readonly mode: 'read-only' | 'workspace-write'
  /** As for commands: only where the user's own configuration says so. */
  readonly network: boolean
  /** The user was told that nothing limits it here, and said yes to that. */
  readonly mayRunBare: boolean
  /** As they were when they were trusted. */
  readonly programs: readonly ProgramFile[]
}

/** Of the servers that take effect from a trusted project, by name. */
export function confinements(
  project: Project | null,
  own: Config,
  sandbox: SandboxMode,
): ReadonlyMap<string, Confinement> {
  if (project?.state !== 'trusted') return new Map()
  const { root, entry } = project
  const { files: programs } = project.programs()
  const mode = confinedMode(sandbox)
  const mayRunBare = entry?.outsideSandbox === true
  const confinement = { root, mode, network: hasNetwork(own), mayRunBare, programs } as const
  return new Map(Object.keys(project.layer(own).values.mcp_servers ?? {}).map((name) => [name, confinement]))
}

/** It is never given all that its conversation has: its tools are called with a question or by a rule, its program is a stranger's. */
export function confinedMode(sandbox: SandboxMode): Confinement['mode'] {
  return sandbox === 'read-only' ? 'read-only' : 'workspace-write'
}

export function hasNetwork({ sandbox_workspace_write: limits }: Config): boolean {
  return limits?.network_access === true
}
