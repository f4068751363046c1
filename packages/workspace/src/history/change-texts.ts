import { resolve } from 'node:path'
import type { FileChangeEntry } from '@parley/protocol'
import { sideOfDiff } from '@parley/protocol/calls'
import { applyPatch } from 'diff'
import { contentHash } from '../patch/file-plan.ts'
import type { PatchView } from '../patch/patch-files.ts'
import { decodeUtf8 } from '../patch/place/text-file.ts'
import type { ContentStore } from './content-store.ts'
import { contentNow } from './named-content.ts'

/** Texts of a file before and after a change; null where there is no file. */
export interface ChangeTexts {
  readonly oldText: string | null
  readonly newText: string | null
  /** False when the texts are only the lines of the diff. */
  readonly isWhole: boolean
}

/** File of a change, as the log or a question has it. */
export type RecordedChange = Pick<FileChangeEntry, 'path' | 'movedTo' | 'before' | 'after' | 'diff'>

interface TextSources {
  readonly cwd: string
  readonly store: Pick<ContentStore, 'read'>
  readonly files: PatchView
  /** Tests if the file at a real path may be read. */
  readonly mayRead: (real: string) => boolean
}

/**
 * Resolves to the whole texts of a file where a hash proves them: as kept, on the disk, or by the diff. Else to the
 * lines of the diff.
 */
export async function changeTexts(change: RecordedChange, sources: TextSources): Promise<ChangeTexts> {
  const { path, movedTo, before, after, diff } = change
  const oldText = before === null ? null : await textOf(path, before, sources)
  const known = after === null ? null : await textOf(movedTo ?? path, after, sources)
  const newText = known === undefined && after !== null ? patched(oldText ?? '', diff, after) : known
  if (oldText !== undefined && newText !== undefined) return { oldText, newText, isWhole: true }
  return diffTexts(change)
}

/** Returns the lines that the diff shows. */
export function diffTexts({ before, after, diff }: RecordedChange): ChangeTexts {
  return {
    oldText: before === null ? null : sideOfDiff(diff, 'before'),
    newText: after === null ? null : sideOfDiff(diff, 'after'),
    isWhole: false,
  }
}

/** Resolves to the text with this hash, as it is kept or at a path now; undefined where it is not to be had or no text. */
async function textOf(
  path: string,
  hash: string,
  { cwd, store, files, mayRead }: TextSources,
): Promise<string | undefined> {
  const kept = store.read(hash)
  if (kept !== null) return decodeUtf8(kept) ?? undefined
  const real = await files.realPath(resolve(cwd, path))
  const found = mayRead(real) ? await contentNow(real, files) : null
  if (found?.bytes == null || found.content.hash !== hash) return undefined
  return decodeUtf8(found.bytes) ?? undefined
}

function patched(oldText: string, diff: string, hash: string): string | undefined {
  try {
    const text = applyPatch(oldText, diff)
    return text !== false && contentHash(text) === hash ? text : undefined
  } catch {
    // A diff that was cut or redacted.
    return undefined
  }
}
