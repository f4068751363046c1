/** What lies at a path itself; a link is not followed. */
export interface FileStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly sizeBytes: number
  /** Permission bits. */
  readonly mode: number
  /** Null where it is not told. */
  readonly owner: { readonly uid: number; readonly gid: number } | null
  /** This process may write to it. */
  readonly writable: boolean
  /** Changes whenever the content is written or another file takes the name. */
  readonly stamp: string
}

/**
 * Looking at what a patch is about. Except in `realPath` every path is a real path, and no operation follows a link in
 * any of its components. Failures are the system's errors.
 */
export interface PatchView {
  /** Where a write to this absolute path would land, all links followed. */
  realPath(absolute: string): Promise<string>
  /** Null when nothing is there. */
  stat(path: string): Promise<FileStat | null>
  readFile(path: string): Promise<Uint8Array>
  /** Names in a folder; empty when it is not there. */
  list(path: string): Promise<readonly string[]>
}

/** Where patches are applied: this machine's disk, or a remote one's. */
export interface PatchTarget extends PatchView {
  /** `tag` is unique to this attempt; see `strayName`. */
  begin(tag: string): PatchAttempt
  /** Removes what an attempt that never ended left beside these real paths. */
  removeStrays(tag: string, paths: readonly string[]): Promise<void>
}

/**
 * The operations behind a patch on this machine's disk. A folder swapped for a link after the plan was judged makes
 * each of them fail.
 */
export interface PatchFiles extends PatchView {
  /** Creates a file that must not exist and brings its bytes to the disk; `like` gives it mode and owner. */
  writeTemp(path: string, bytes: Uint8Array, like: FileStat | null): Promise<void>
  /** A second name for the same file; fails when the name is taken. */
  link(from: string, to: string): Promise<void>
  /** Takes the place of whatever file is at `to`. */
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string): Promise<void>
  rmdir(path: string): Promise<void>
  /** Brings renames and new names in a folder to the disk. */
  syncFolder(path: string): Promise<void>
}

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
