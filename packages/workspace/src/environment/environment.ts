import type { FoldersNow, Host, Sandboxes } from '@parley/host'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import type { Standing } from '../files/path-standing.ts'
import type { SecretPaths } from '../files/secret-paths.ts'
import type { SearchProgram } from '../look-up/ripgrep-run.ts'
import type { PatchTarget } from '../patch/patch-files.ts'
import type { KeptCommands } from '../remote/processes/kept-commands.ts'
import type { RemoteCopies } from '../remote/remote-copies.ts'

/** Name of an environment, and the right to work there. */
export interface EnvironmentIdentity {
  /** `X` of `[environments.X]`; null for this machine. */
  readonly name: string | null
  /** Name of a machine that connects by itself, behind its owner's name; null for any other. */
  readonly machine: string | null
  /** Text that differs when a machine is reached by other settings; empty for this machine. */
  readonly reachedBy: string
  /** Returns true where a user may work: a machine that connects by itself names its users. */
  mayWork(user: string): boolean
}

/** Facts of a machine; those of a remote one are valid only once it was reached. */
export interface MachineFacts {
  readonly shell: string
  /** Home folder of the user on that machine. */
  readonly home: string
  /** Variables that commands inherit, before the allow list. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
}

/** Operations that start processes or change files. */
export interface EnvironmentActions {
  readonly commands: Pick<Host, 'runCommand' | 'spawnStreams' | 'warmUp'>
  readonly kept: KeptCommands
  readonly patches: PatchTarget
}

/**
 * Machine that runs a conversation's commands and has its files: this one, or a remote one through its exec-server.
 *
 * Model access, journal, policy and approvals stay on this machine. Calls to a remote machine reject with
 * `EnvironmentUnreachableError` while it cannot be reached.
 */
export interface Environment extends EnvironmentIdentity, MachineFacts, EnvironmentActions {
  /** Resolves when the machine can be reached. */
  reach(): Promise<void>
  readonly sandboxes: Sandboxes
  readonly files: EnvironmentFiles
  readonly search: SearchProgram
  /** Copies of files for programs that must run exactly these; null on this machine. */
  readonly copies: RemoteCopies | null
  secrets(): Promise<SecretPaths>
  /** Examines absolute paths, by the files as they are now, for a conversation that may write to `roots`. */
  standingOf(paths: readonly string[], roots: readonly string[]): Promise<readonly Standing[]>
  /**
   * Returns the real paths of writable folders, which are pinned at the first use by a conversation. Leaves out each
   * folder that was exchanged since, with a sentence in `changed`.
   */
  rootsNow(folders: readonly string[]): Promise<FoldersNow>
}
