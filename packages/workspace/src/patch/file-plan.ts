import { contentHash } from './content-hash.ts'

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

export type PatchFailureCode =
  | 'invalidPatch'
  | 'nothingToDo'
  | 'badPath'
  | 'notAllowed'
  | 'missingFile'
  | 'fileExists'
  | 'notAFile'
  | 'symbolicLink'
  | 'readOnlyFile'
  | 'tooLarge'
  | 'notText'
  | 'unknownMark'
  | 'contextNotFound'
  | 'linesNotFound'
  | 'changedMeanwhile'
  | 'fileError'

export interface PatchFailure {
  readonly code: PatchFailureCode
  /** As the patch says it; null when it concerns no single file. */
  readonly path: string | null
  /** Line of the patch, the Begin marker being 1; null when none is to blame. */
  readonly line: number | null
  readonly message: string
}

/** The part of a plan that is recorded, so that after a crash each file can be told apart by its content. */
export interface FileChange {
  /** Real path. */
  readonly path: string
  readonly movedTo?: string
  readonly beforeHash: string | null
  readonly afterHash: string | null
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
