import type { GuardKind, Host, Sandboxes } from '@parley/host'
import type { PlaceFiles } from '../files/environment-files.ts'
import type { SecretPlaces } from '../files/secret-paths.ts'
import type { BoundedRun, BoundedRunOutcome } from '../look-up/run-bounded.ts'
import type { PatchTarget } from '../patch/patch-files.ts'

/**
 * Where a conversation's commands run and its files lie: this machine, or the remote one of an environment. Model
 * access, log, policy and approvals stay here. What is remote fails with `PlaceUnreachable` while it cannot be asked.
 */
export interface Place {
  /** Name of the `[environments.X]`; null for this machine. */
  readonly environment: string | null
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
  readonly files: PlaceFiles
  readonly patches: PatchTarget
  readonly search: SearchProgram
  secrets(): Promise<SecretPlaces>
  /** Tells why each absolute path stays as it is where commands may write to `roots`, as the files there are now. */
  guardOf(paths: readonly string[], roots: readonly string[]): Promise<readonly (GuardKind | null)[]>
}

/** ripgrep: the one that is found there, or this machine's own on a copy of what is to be searched. */
export interface SearchProgram {
  /** Null where there is none outside the writable `roots`. */
  there(roots: readonly string[]): Promise<Ripgrep | null>
  readonly here: Ripgrep
}

export interface Ripgrep {
  /** The program and what stands before its arguments, so that a sandbox can be put in front. */
  readonly command: readonly [program: string, ...args: string[]]
  run(run: BoundedRun): Promise<BoundedRunOutcome>
}
