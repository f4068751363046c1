import type { GuardKind, Host, Sandboxes } from '@parley/host'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import type { SecretPaths } from '../files/secret-paths.ts'
import type { SearchProgram } from '../look-up/ripgrep-run.ts'
import type { PatchTarget } from '../patch/patch-files.ts'

/**
 * Where a conversation's commands run and its files lie: this machine, or the remote one of an environment. Model
 * access, log, policy and approvals stay here. What is remote fails with `PlaceUnreachable` while it cannot be asked.
 */
export interface Environment {
  /** Name of the `[environments.X]`; null for this machine. */
  readonly name: string | null
  /** Resolves once it can be asked; only then do the four facts below hold. */
  reach(): Promise<void>
  readonly shell: string
  /** The user's home folder there. */
  readonly home: string
  /** What commands inherit, before the allow list. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly commands: Pick<Host, 'startCommand' | 'warmUp'>
  /** What enforces limits there. */
  readonly sandboxes: Sandboxes
  readonly files: EnvironmentFiles
  readonly patches: PatchTarget
  readonly search: SearchProgram
  secrets(): Promise<SecretPaths>
  /** Tells why each absolute path stays as it is where commands may write to `roots`, as the files there are now. */
  guardOf(paths: readonly string[], roots: readonly string[]): Promise<readonly (GuardKind | null)[]>
}
