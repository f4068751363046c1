import { basename, dirname, join } from 'node:path'

/** Metadata of a file; links are not followed. */
export interface FileStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly sizeBytes: number
  /** Permission bits. */
  readonly mode: number
  /** User and group; null on a remote machine, which does not report them. */
  readonly owner: { readonly uid: number; readonly gid: number } | null
  /** True when this process may write to the file. */
  readonly writable: boolean
  /** Value that changes when the content is written or another file takes the name. */
  readonly stamp: string
}

/** File that gives a written one its mode and owner. */
export type FileLike = Pick<FileStat, 'mode' | 'owner'>

/**
 * Read access to the files of a patch.
 *
 * Except in `realPath` every path is a real path, and no operation follows a link in it. Throws the system's errors.
 */
export interface PatchView {
  /** Resolves the path that a write to `absolute` would reach, all links followed. */
  realPath(absolute: string): Promise<string>
  /** Reads metadata; null when the file does not exist. */
  stat(path: string): Promise<FileStat | null>
  readFile(path: string): Promise<Uint8Array>
  /** Lists the names in a folder; empty when it does not exist. */
  list(path: string): Promise<readonly string[]>
  /** Reads where a link leads, as it is written in the link. */
  readLink(path: string): Promise<string>
}

/** Files that patches are applied to, on this machine's disk or through an exec-server. */
export interface PatchTarget extends PatchView {
  /** Starts an attempt. `tag` is unique to the attempt and part of the names of its temporary files. */
  begin(tag: string): PatchAttempt
  /** Removes temporary files that an interrupted attempt left in the folders of these real paths. */
  removeStrays(tag: string, paths: readonly string[]): Promise<void>
}

/**
 * Write operations of a patch on this machine's disk.
 *
 * Each throws when a link has replaced a folder of its path since the plan was checked.
 */
export interface PatchFiles extends PatchView {
  /** Creates a new file and syncs it to the disk. Mode and owner come from `like`. Throws when the file exists. */
  writeTemp(path: string, bytes: Uint8Array, like: FileLike | null): Promise<void>
  /** Creates a symbolic link that leads to `target`, as written. Throws when the file exists. */
  symlink(path: string, target: string): Promise<void>
  /** Creates a hard link. Throws when `to` exists. */
  link(from: string, to: string): Promise<void>
  /** Renames a file, replacing a file at `to`. */
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string): Promise<void>
  rmdir(path: string): Promise<void>
  /** Syncs renames and new names in a folder to the disk. */
  syncFolder(path: string): Promise<void>
}

/** Undoable steps of one attempt to apply a patch. */
export interface PatchAttempt {
  /** Stages new content for `target` and creates missing folders. Returns the name for `create` and `replace`. */
  stage(target: string, bytes: Uint8Array, like: FileLike | null): Promise<string>
  /** Stages a symbolic link as `stage` does a content. Throws where links cannot be made. */
  stageLink(target: string, leadsTo: string): Promise<string>
  /** Moves staged content to a new file. Throws when the file exists. */
  create(staged: string, target: string): Promise<void>
  /** Replaces a file with staged content atomically. */
  replace(staged: string, target: string, old: OldFile): Promise<void>
  remove(target: string, old: OldFile): Promise<void>
  /** Undoes all steps, latest first. Returns a sentence for each file that could not be restored. */
  rollBack(): Promise<string[]>
  /** Syncs the result to the disk and removes temporary files. Returns the paths that it could not remove. */
  conclude(): Promise<string[]>
}

/** Returns the path of the name itself: links in its folder are followed, and not the name where that is a link. */
export async function pathOfName(absolute: string, files: Pick<PatchView, 'realPath'>): Promise<string> {
  return join(await files.realPath(dirname(absolute)), basename(absolute))
}

/** Reads the content of a file, or where a link leads. */
export async function contentAt(path: string, { kind }: Pick<FileStat, 'kind'>, files: PatchView): Promise<Uint8Array> {
  return kind === 'link' ? Buffer.from(await files.readLink(path)) : await files.readFile(path)
}

export interface OldFile {
  readonly bytes: Uint8Array
  readonly stat: FileStat | null
}
