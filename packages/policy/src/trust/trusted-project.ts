import type { Config } from '@parley/config'
import type { SandboxMode } from '@parley/protocol'
import type { Project } from './project.ts'
import type { ProgramFile } from './project-programs.ts'

/** Sandbox that a server configured by a project is started in. */
export interface ServerSandboxPolicy {
  /** Root of the project, the only writable folder. */
  readonly root: string
  readonly mode: 'read-only' | 'workspace-write'
  /** Network of the server; only the user's own configuration grants it. */
  readonly network: boolean
  /** True when the user trusted the project on a machine without a sandbox. */
  readonly mayRunUnsandboxed: boolean
  /** Files as they were when they were trusted. */
  readonly programs: readonly ProgramFile[]
}

/** Returns the sandbox policies of the servers of a trusted project, by name; none for any other project. */
export function serverSandboxPolicies(
  project: Project | null,
  own: Config,
  sandbox: SandboxMode,
): ReadonlyMap<string, ServerSandboxPolicy> {
  if (project?.state !== 'trusted') return new Map()
  const { root, entry } = project
  const { files: programs } = project.programs()
  const mode = serverSandboxMode(sandbox)
  const mayRunUnsandboxed = entry?.outsideSandbox === true
  const policy = { root, mode, network: hasNetwork(own), mayRunUnsandboxed, programs } as const
  return new Map(Object.keys(project.layer(own).values.mcp_servers ?? {}).map((name) => [name, policy]))
}

/** Returns the mode of a project's servers. Full access of the conversation does not extend to foreign programs. */
export function serverSandboxMode(sandbox: SandboxMode): ServerSandboxPolicy['mode'] {
  return sandbox === 'read-only' ? 'read-only' : 'workspace-write'
}

export function hasNetwork({ sandbox_workspace_write: limits }: Config): boolean {
  return limits?.network_access === true
}
