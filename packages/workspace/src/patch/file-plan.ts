import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { FileChangeEntry } from '@parley/protocol'
import { type PatchView, pathOfName } from './patch-files.ts'

export interface PatchPath {
  /** Path as written in the patch. */
  readonly written: string
  /** Absolute path with all links followed; policy checks this path and the patch writes to it. */
  readonly real: string
}

export interface FileVersion {
  readonly bytes: Uint8Array
  readonly hash: string
}

/** Planned change of one file. `before` is null for a new file, `after` for a deleted one. */
export interface FilePlan {
  readonly kind: 'add' | 'update' | 'delete'
  /** Present when a link is deleted, not its target; the content of `before` is the link's target. */
  readonly link?: true
  /** Present when a link is written; the content of `after` is where it leads. Only a rewind writes links. */
  readonly writesLink?: true
  /** Permission bits of the new file; without them, the bits of the file it replaces, or of a new file. */
  readonly mode?: number
  readonly path: PatchPath
  /** New path of a moved file; only with kind `update`. */
  readonly movedTo?: PatchPath
  readonly before: FileVersion | null
  readonly after: FileVersion | null
  readonly additions: number
  readonly deletions: number
  /** Unified diff with three lines of context. */
  readonly diff: string
  /** False when a version is not text, so that `diff` does not show it. */
  readonly isText: boolean
}

/** Recorded part of a plan; after a crash the hashes show whether the file was changed. */
export interface FileChange {
  /** Real path. */
  readonly path: string
  readonly movedTo?: string
  readonly beforeHash: string | null
  readonly afterHash: string | null
}

export interface FileState {
  /** Real path; a moved file has two states. */
  readonly path: string
  /** Content as before the patch, as after it, or neither: changed by another program, or unreadable. */
  readonly state: 'old' | 'new' | 'other'
}

export function versionOf(bytes: Uint8Array): FileVersion {
  return { bytes, hash: contentHash(bytes) }
}

/** Returns false for an update without effect, which is neither written nor recorded. */
export function changesAnything({ before, after, movedTo, mode }: FilePlan): boolean {
  return movedTo !== undefined || mode !== undefined || before?.hash !== after?.hash
}

export function changesOf(plans: readonly FilePlan[]): FileChange[] {
  return plans.filter(changesAnything).map(({ path, movedTo, before, after }) => ({
    path: path.real,
    ...(movedTo === undefined ? {} : { movedTo: movedTo.real }),
    beforeHash: before?.hash ?? null,
    afterHash: after?.hash ?? null,
  }))
}

/** Returns the SHA-256 in hex of the bytes, or of a text's UTF-8. An approval applies to the hash of its patch text. */
export function contentHash(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Converts a plan to the entry in the patch's item: the diff to display and the hashes to compare after a crash. */
export function recordChange(plan: FilePlan): FileChangeEntry {
  const { kind, link, path, movedTo, before, after, additions, deletions, diff } = plan
  return {
    path: path.written,
    kind,
    ...(link === undefined ? {} : { link }),
    ...(movedTo === undefined ? {} : { movedTo: movedTo.written }),
    additions,
    deletions,
    diff,
    before: before?.hash ?? null,
    after: after?.hash ?? null,
  }
}

/** Resolves the paths of recorded changes, for `comparePlan` and `removeStrays`. */
export async function readChanges(
  entries: readonly Pick<FileChangeEntry, 'path' | 'link' | 'movedTo' | 'before' | 'after'>[],
  cwd: string,
  files: PatchView,
): Promise<FileChange[]> {
  return await Promise.all(
    entries.map(async ({ path, link, movedTo, before, after }) => ({
      path: await (link ? pathOfName(resolve(cwd, path), files) : files.realPath(resolve(cwd, path))),
      ...(movedTo === undefined ? {} : { movedTo: await files.realPath(resolve(cwd, movedTo)) }),
      beforeHash: before,
      afterHash: after,
    })),
  )
}
