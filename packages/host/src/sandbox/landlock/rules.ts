import { readdir } from 'node:fs/promises'
import type { ClosedPlaces } from '../../paths/guarded-paths.ts'
import type { SandboxLimits } from '../sandbox.ts'
import { fullWrite, reads, rightsOnDevice, rightsOnFile } from './rights.ts'

/** Devices that are granted; /dev also holds raw disks and the terminals of others. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const

interface RuleSources {
  /** Version of the kernel's Landlock. */
  readonly version: number
  readonly list: ListFolder
  /** Folder for temporary files of the command. */
  readonly scratch: string
  /** Protected paths below the writable roots. */
  readonly guarded: ClosedPlaces
}

/** Returns the rules for all that a command may reach. */
export async function rulesOfLimits(limits: SandboxLimits, sources: RuleSources): Promise<Rule[]> {
  const { list, version, scratch, guarded } = sources
  const hidden = new Set(['/dev', ...limits.masked])
  const granted = [
    { path: '/', rights: reads.listing },
    { path: scratch, rights: fullWrite | reads.content },
    ...devices.map((name) => ({ path: `/dev/${name}`, rights: rightsOnDevice(version) })),
    ...(await planRules({ path: '/', rights: reads.content }, hidden, list)),
  ]
  if (limits.mode === 'read-only') return granted
  const { writableRoots: roots } = limits
  // A rule for a root would also grant what is made in it later, so each root is treated as if it held a `.git`.
  const unmade = roots.map((root) => `${root === '/' ? '' : root}/.git`)
  const kept = new Set([...hidden, ...unmade, ...guarded.kept, ...guarded.missing])
  const plans = [
    // Grants reading again for a root that lies within a masked path.
    ...roots.map((path) => planRules({ path, rights: reads.content }, hidden, list)),
    ...[...roots, ...guarded.writable].map((path) => planRules({ path, rights: fullWrite }, kept, list)),
  ]
  return [...granted, ...(await Promise.all(plans)).flat()]
}

interface Rule {
  readonly path: string
  readonly rights: number
}

export interface FolderEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link'
}

/** Lists a folder; null when it cannot be listed. */
type ListFolder = (path: string) => Promise<readonly FolderEntry[] | null>

/**
 * Returns rules that grant what lies below `grant.path`, except at or below the holes. A rule always reaches all that is
 * below it, so a folder with a hole in it gets none: its present entries do.
 */
export async function planRules(grant: Rule, holes: ReadonlySet<string>, list: ListFolder): Promise<Rule[]> {
  const above = foldersAbove(holes)
  const within = async (rule: Rule): Promise<Rule[]> => {
    if (holes.has(rule.path)) return []
    if (!above.has(rule.path)) return [rule]
    const entries = (await list(rule.path)) ?? []
    return (await Promise.all(entries.map((entry) => entryRules(rule, entry)))).flat()
  }
  const entryRules = async ({ path, rights }: Rule, { name, kind }: FolderEntry): Promise<Rule[]> => {
    // The target of a link is granted, or not, under its own path.
    if (kind === 'link') return []
    const entry = path === '/' ? `/${name}` : `${path}/${name}`
    if (kind === 'folder') return within({ path: entry, rights })
    const granted = rightsOnFile(rights)
    return granted === 0 || holes.has(entry) ? [] : [{ path: entry, rights: granted }]
  }
  return within(grant)
}

function foldersAbove(paths: Iterable<string>): Set<string> {
  const above = new Set<string>()
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end >= 0; end = path.lastIndexOf('/', end - 1)) {
      above.add(end === 0 ? '/' : path.slice(0, end))
      if (end === 0) break
    }
  }
  return above
}

/** Lists a folder of the disk; null when it cannot be listed. */
export async function listFolder(path: string): Promise<readonly FolderEntry[] | null> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null)
  return (
    entries?.map((entry) => ({
      name: entry.name,
      kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file',
    })) ?? null
  )
}
