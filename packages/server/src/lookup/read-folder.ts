import type { Dirent } from 'node:fs'
import { opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type IgnoreRules, isIgnored } from './gitignore-rules.ts'
import { systemErrorReason } from './system-error.ts'

export type FolderEntry =
  | { readonly name: string; readonly kind: 'folder' | 'file' | 'other' }
  | { readonly name: string; readonly kind: 'link'; readonly target: string }

export interface FolderContent {
  /** Folders first, then by name. */
  readonly entries: readonly FolderEntry[]
  readonly ignored: number
  /** The folder holds more names than are ever looked at. */
  readonly truncated: boolean
  /** Why it could not be read, in the system's words. */
  readonly error: string | null
}

const maxNamesLookedAt = 20_000

/** Reads one folder; with `rules`, what they ignore is only counted. */
export async function readFolder(path: string, rules: IgnoreRules | null): Promise<FolderContent> {
  const found: Dirent[] = []
  let ignored = 0
  let truncated = false
  try {
    for await (const entry of await opendir(path)) {
      if (rules !== null && isIgnored(rules, join(path, entry.name), entry.isDirectory())) ignored += 1
      else found.push(entry)
      truncated = found.length + ignored >= maxNamesLookedAt
      if (truncated) break
    }
  } catch (error) {
    return { entries: [], ignored: 0, truncated: false, error: systemErrorReason(error) }
  }
  const entries = await Promise.all(found.sort(foldersFirst).map((entry) => describeEntry(path, entry)))
  return { entries, ignored, truncated, error: null }
}

function foldersFirst(a: Dirent, b: Dirent): number {
  if (a.isDirectory() !== b.isDirectory()) return a.isDirectory() ? -1 : 1
  return a.name < b.name ? -1 : 1
}

async function describeEntry(folder: string, entry: Dirent): Promise<FolderEntry> {
  const { name } = entry
  if (entry.isSymbolicLink()) {
    const target = await readlink(join(folder, name)).catch(() => '?')
    return { name, kind: 'link', target }
  }
  if (entry.isDirectory()) return { name, kind: 'folder' }
  return { name, kind: entry.isFile() ? 'file' : 'other' }
}
