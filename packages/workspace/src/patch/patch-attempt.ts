import type { FileStat } from './patch-files.ts'

/** One attempt to apply a patch: every step that changes the disk goes through it and can be undone. */
export interface PatchAttempt {
  /** Writes the new content beside its target, whose missing folders are created; answers with the file's path. */
  stage(target: string, bytes: Uint8Array, like: FileStat | null): Promise<string>
  /** Gives a staged file its name; fails when the name is taken. */
  create(staged: string, target: string): Promise<void>
  /** Puts a staged file in the place of the one at `target`, which is there at every moment as the old or the new one. */
  replace(staged: string, target: string, old: OldFile): Promise<void>
  remove(target: string, old: OldFile): Promise<void>
  /** Undoes everything, the latest first; answers with one sentence for each file that could not be put back. */
  rollBack(): Promise<string[]>
  /** Makes the result durable and removes temporary files; answers with those that could not be removed. */
  conclude(): Promise<string[]>
}

export interface OldFile {
  readonly bytes: Uint8Array
  readonly stat: FileStat | null
}
