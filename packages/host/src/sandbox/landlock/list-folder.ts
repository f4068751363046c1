import { readdir } from 'node:fs/promises'
import type { FolderEntry } from './plan-rules.ts'

/** Null when it cannot be listed. */
export async function listFolder(path: string): Promise<readonly FolderEntry[] | null> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null)
  return (
    entries?.map((entry) => ({
      name: entry.name,
      kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file',
    })) ?? null
  )
}
