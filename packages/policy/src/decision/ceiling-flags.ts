import type { SandboxMode } from '@parley/protocol'

/** Flags of a server's command line that bound the permissions of its conversations. */
export interface CeilingFlags {
  /** Loosest sandbox mode; null for the mode of the user's own configuration, and `workspace-write` at least. */
  readonly maxSandbox: SandboxMode | null
  readonly allowNever: boolean
  /** Profile of the user's configuration to apply; null for the one the configuration names. */
  readonly profile: string | null
  /** Absolute folders where secrets are kept that conversations may work in all the same. */
  readonly secretFolders?: readonly string[]
  /** Program that was started, as named behind `parley`, for advice; absent: `server`. */
  readonly program?: 'mcp-server' | 'app-server' | 'acp'
  /** Set by `--safe`: of the configuration only what reaches a model and what limits counts. */
  readonly isSafe?: true
}

export const defaultCeilingFlags: CeilingFlags = { maxSandbox: null, allowNever: false, profile: null }
