import { join } from 'node:path'
import type { NamedEntry, PlaceFiles } from '../environment/place-files.ts'
import { systemErrorReason } from '../paths/system-error.ts'
import { type IgnoreRules, isIgnored } from './gitignore-rules.ts'

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

interface FolderQuestion {
  readonly path: string
  /** What they ignore is only counted; null shows everything. */
  readonly rules: IgnoreRules | null
  readonly files: PlaceFiles
}

export async function readFolder({ path, rules, files }: FolderQuestion): Promise<FolderContent> {
  try {
    const { entries: all, truncated } = await files.list(path, maxNamesLookedAt)
    const found = all.filter(
      ({ name, kind }) => rules === null || !isIgnored(rules, join(path, name), kind === 'folder'),
    )
    const entries = await Promise.all(found.sort(foldersFirst).map((entry) => describeEntry(path, entry, files)))
    return { entries, ignored: all.length - found.length, truncated, error: null }
  } catch (error) {
    return { entries: [], ignored: 0, truncated: false, error: systemErrorReason(error) }
  }
}

function foldersFirst(a: NamedEntry, b: NamedEntry): number {
  if ((a.kind === 'folder') !== (b.kind === 'folder')) return a.kind === 'folder' ? -1 : 1
  return a.name < b.name ? -1 : 1
}

async function describeEntry(folder: string, { name, kind }: NamedEntry, files: PlaceFiles): Promise<FolderEntry> {
  if (kind !== 'link') return { name, kind }
  return { name, kind, target: await files.readLink(join(folder, name)).catch(() => '?') }
}
