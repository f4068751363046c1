import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Of what others wrote, or what was built: large, and nobody works in it. */
const skipped = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__', '.cache', 'target', '.next', '.turbo'])

const maxDepth = 6
const maxFolders = 3000
/** Listed at a time. */
const width = 16

export interface FoundRepositories {
  /** Entries named `.git` below the folder, its own not among them. */
  readonly entries: readonly string[]
  /** Folders that are a repository themselves. */
  readonly bare: readonly string[]
}

/** Looks for repositories below a folder, the shallow ones first, as far as a limit of depth and number. */
export async function findRepositories(root: string): Promise<FoundRepositories> {
  const entries: string[] = []
  const bare: string[] = []
  let level = [root]
  let left = maxFolders
  for (let depth = 0; depth <= maxDepth && level.length > 0 && left > 0; depth += 1) {
    const next: string[] = []
    const looked = level.slice(0, left)
    left -= looked.length
    for (let at = 0; at < looked.length; at += width) {
      for (const { folder, listed } of await Promise.all(looked.slice(at, at + width).map(list))) {
        if (folder !== root && listed.some(({ name }) => name === '.git')) entries.push(join(folder, '.git'))
        if (folder !== root && isBare(listed)) bare.push(folder)
        else next.push(...foldersOf(folder, listed))
      }
    }
    level = next
  }
  return { entries, bare }
}

/** As git sees it: these three make a repository of any folder. */
export function isBare(listed: readonly Pick<Dirent, 'name'>[]): boolean {
  return ['HEAD', 'objects', 'refs'].every((wanted) => listed.some(({ name }) => name === wanted))
}

function foldersOf(folder: string, listed: readonly Dirent[]): string[] {
  return listed.filter((entry) => entry.isDirectory() && !skipped.has(entry.name)).map(({ name }) => join(folder, name))
}

async function list(folder: string): Promise<{ folder: string; listed: Dirent[] }> {
  return { folder, listed: await readdir(folder, { withFileTypes: true }).catch(() => []) }
}
