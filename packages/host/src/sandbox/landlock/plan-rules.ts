import { rightsOnFile } from './rights.ts'

export interface Rule {
  readonly path: string
  readonly rights: number
}

export interface FolderEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link'
}

/** Null when it cannot be listed. */
export type ListFolder = (path: string) => Promise<readonly FolderEntry[] | null>

/**
 * Rules that grant what lies below `grant.path`, but not what lies at or below the holes. A rule always reaches all
 * that is below it, so a folder with a hole in it gets none itself: its entries do, those there are now.
 */
export async function planRules(grant: Rule, holes: ReadonlySet<string>, list: ListFolder): Promise<Rule[]> {
  const above = foldersAbove(holes)
  const within = async (rule: Rule): Promise<Rule[]> => {
    if (holes.has(rule.path)) return []
    if (!above.has(rule.path)) return [rule]
    const entries = (await list(rule.path)) ?? []
    return (await Promise.all(entries.map((entry) => ofEntry(rule, entry)))).flat()
  }
  const ofEntry = async ({ path, rights }: Rule, { name, kind }: FolderEntry): Promise<Rule[]> => {
    // What a link leads to is granted, or not, where it is.
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
