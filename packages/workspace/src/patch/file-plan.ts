import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { FileChangeEntry } from '@parley/protocol'
import type { PatchView } from './patch-files.ts'

export interface PatchPath {
  /** As the patch says it. */
  readonly written: string
  /** Absolute, all links followed: what policy judges and what is written to. */
  readonly real: string
}

export interface FileVersion {
  readonly bytes: Uint8Array
  readonly hash: string
}

/** What a patch does to one file. `before` is null for a new file, `after` for a deleted one. */
export interface FilePlan {
  readonly kind: 'add' | 'update' | 'delete'
  readonly path: PatchPath
  /** Only with `update`: the content ends up here and nothing stays at `path`. */
  readonly movedTo?: PatchPath
  readonly before: FileVersion | null
  readonly after: FileVersion | null
  readonly additions: number
  readonly deletions: number
  /** Unified, three lines of context. */
  readonly diff: string
  /** False where `diff` cannot tell what is in the file. */
  readonly isText: boolean
}

/** The part of a plan that is recorded, so that after a crash each file can be told apart by its content. */
export interface FileChange {
  /** Real path. */
  readonly path: string
  readonly movedTo?: string
  readonly beforeHash: string | null
  readonly afterHash: string | null
}

export interface FileState {
  /** Real path; a moved file gives two of them. */
  readonly path: string
  /** As before the patch, as after it, or neither (someone else wrote to it, or it cannot be read). */
  readonly state: 'old' | 'new' | 'other'
}

export function versionOf(bytes: Uint8Array): FileVersion {
  return { bytes, hash: contentHash(bytes) }
}

/** False for an update that ends where it began: nothing is written and nothing recorded. */
export function changesAnything({ before, after, movedTo }: FilePlan): boolean {
  return movedTo !== undefined || before?.hash !== after?.hash
}

export function changesOf(plans: readonly FilePlan[]): FileChange[] {
  return plans.filter(changesAnything).map(({ path, movedTo, before, after }) => ({
    path: path.real,
    ...(movedTo === undefined ? {} : { movedTo: movedTo.real }),
    beforeHash: before?.hash ?? null,
    afterHash: after?.hash ?? null,
  }))
}

/** SHA-256 of the exact bytes, in hex; a text counts as its UTF-8. The hash of a patch text binds its approval. */
export function contentHash(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** What the item of a patch records of one file: enough to show it, and to tell after a crash whether it was reached. */
export function recordChange(plan: FilePlan): FileChangeEntry {
  const { kind, path, movedTo, before, after, additions, deletions, diff } = plan
  return {
    path: path.written,
    kind,
    ...(movedTo === undefined ? {} : { movedTo: movedTo.written }),
    additions,
    deletions,
    diff,
    before: before?.hash ?? null,
    after: after?.hash ?? null,
  }
}

/** The recorded changes with real paths again, for `comparePlan` and `removeStrays`. */
export async function readChanges(
  entries: readonly Pick<FileChangeEntry, 'path' | 'movedTo' | 'before' | 'after'>[],
  cwd: string,
  files: PatchView,
): Promise<FileChange[]> {
  return await Promise.all(
    entries.map(async ({ path, movedTo, before, after }) => ({
      path: await files.realPath(resolve(cwd, path)),
      ...(movedTo === undefined ? {} : { movedTo: await files.realPath(resolve(cwd, movedTo)) }),
      beforeHash: before,
      afterHash: after,
    })),
  )
}
