import type { PathContent } from '@parley/protocol'
import { contentHash } from '../patch/file-plan.ts'
import { contentAt, type FileStat, type PatchView } from '../patch/patch-files.ts'
import { maxPatchedBytes } from '../patch/plan/planned-files.ts'
import type { ContentStore } from './content-store.ts'

/** Content of a file as it is now. */
export interface FoundContent {
  readonly stat: FileStat
  /** Content; null for an entry that is neither file nor link, or larger than a patch may be. */
  readonly bytes: Uint8Array | null
  readonly content: PathContent
}

/** Reads the entry at a real path now, wherever it lies; null for a missing entry. Throws the system's errors. */
export async function contentNow(path: string, files: PatchView): Promise<FoundContent | null> {
  const stat = await files.stat(path)
  if (stat === null) return null
  const { kind, mode } = stat
  const isReadable = kind === 'link' || (kind === 'file' && stat.sizeBytes <= maxPatchedBytes)
  const bytes = isReadable ? await contentAt(path, stat, files) : null
  const known = { mode, ...(kind === 'link' ? { link: true as const } : {}) }
  return { stat, bytes, content: bytes === null ? known : { hash: contentHash(bytes), ...known } }
}

/** Keeps the content of a file that a patch names, ignored ones too, up to the size of a patched file. */
export async function keepNamed(path: string, files: PatchView, store: ContentStore): Promise<PathContent | null> {
  const found = await contentNow(path, files)
  if (found === null) return null
  const { bytes, content } = found
  if (bytes === null || content.hash === undefined || store.keep(content.hash, bytes)) return content
  const { hash: _notKept, ...rest } = content
  return rest
}
