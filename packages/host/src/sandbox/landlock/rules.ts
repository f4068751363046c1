import { readdir } from 'node:fs/promises'
import type { ClosedPaths } from '../../paths/sandbox-guards.ts'
import type { SandboxLimits } from '../sandbox.ts'

/** Devices that are granted; /dev also holds raw disks and the terminals of others. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const

interface RuleSources {
  /** Version of the kernel's Landlock. */
  readonly version: number
  readonly list: ListFolder
  /** Folder for temporary files of the command. */
  readonly scratch: string
  /** Protected paths below the writable roots. */
  readonly guarded: ClosedPaths
}

/** Returns the rules for all that a command may reach. */
export async function rulesOfLimits(limits: SandboxLimits, sources: RuleSources): Promise<Rule[]> {
  const { list, version, scratch, guarded } = sources
  const hidden = new Set(['/dev', ...limits.masked])
  const granted = [
    { path: '/', rights: reads.listing },
    { path: scratch, rights: fullWrite | reads.content },
    ...devices.map((name) => ({ path: `/dev/${name}`, rights: deviceRights & handledRights(version) })),
    ...(await planRules({ path: '/', rights: reads.content }, hidden, list)),
    ...(await readingRules(limits.readable ?? [], hidden, list)),
  ]
  if (limits.mode === 'read-only') return granted
  const { writableRoots: roots } = limits
  // A rule for a root would also grant later entries in it, so each root is treated as if it held a `.git`.
  const unmade = roots.map((root) => `${root === '/' ? '' : root}/.git`)
  const kept = new Set([...hidden, ...unmade, ...guarded.kept, ...guarded.missing])
  const plans = [
    readingRules(roots, hidden, list),
    ...[...roots, ...guarded.writable].map((path) => planRules({ path, rights: fullWrite }, kept, list)),
  ]
  return [...granted, ...(await Promise.all(plans)).flat()]
}

/** Returns rules that grant reading below folders, again for one that lies within a masked path. */
async function readingRules(
  folders: readonly string[],
  hidden: ReadonlySet<string>,
  list: ListFolder,
): Promise<Rule[]> {
  return (await Promise.all(folders.map((path) => planRules({ path, rights: reads.content }, hidden, list)))).flat()
}

export interface Rule {
  readonly path: string
  readonly rights: number
}

export interface FolderEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link'
}

type ListFolder = (path: string) => Promise<readonly FolderEntry[] | null>

/**
 * Returns rules that grant all paths below `grant.path`, except the holes and paths below them. A rule reaches all
 * entries below it, so a folder with a hole gets no rule; its present entries get one each.
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

/** Rights of Linux Landlock (linux/landlock.h). A ruleset denies the rights it knows unless a rule grants them. */
const right = {
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readFolder: 1 << 3,
  removeFolder: 1 << 4,
  removeFile: 1 << 5,
  makeCharDevice: 1 << 6,
  makeFolder: 1 << 7,
  makeFile: 1 << 8,
  makeSocket: 1 << 9,
  makeFifo: 1 << 10,
  makeBlockDevice: 1 << 11,
  makeLink: 1 << 12,
  /** Right to rename and hard-link from one folder into another. */
  refer: 1 << 13,
  truncate: 1 << 14,
  deviceIoctl: 1 << 15,
} as const

const network = { bindTcp: 1 << 0, connectTcp: 1 << 1 } as const
const scope = { abstractSockets: 1 << 0, signals: 1 << 1 } as const

/** Version of Linux 6.2; before it, a read-only file could be truncated. */
export const lowestVersion = 3
const versionOf = { network: 4, deviceIoctl: 5, scope: 6 } as const

export const reads = { listing: right.readFolder, content: right.readFile } as const

/** Rights to everything below a folder except device files. */
export const fullWrite =
  right.writeFile |
  right.removeFolder |
  right.removeFile |
  right.makeFolder |
  right.makeFile |
  right.makeSocket |
  right.makeFifo |
  right.makeLink |
  right.refer |
  right.truncate

const fileRights = right.writeFile | right.readFile | right.truncate | right.deviceIoctl

const deviceRights = right.writeFile | right.readFile | right.deviceIoctl

/** Returns the rights that a file can have: the system refuses a rule that grants a file the rights of folders. */
export function rightsOnFile(rights: number): number {
  return rights & fileRights
}

/** Returns the rights to the descriptors of the command's output. */
export function rightsOnOutput(version: number): number {
  return (right.writeFile | right.truncate | right.deviceIoctl) & handledRights(version)
}

function handledRights(version: number): number {
  const always = fullWrite | right.readFile | right.readFolder | right.makeCharDevice | right.makeBlockDevice
  return version >= versionOf.deviceIoctl ? always | right.deviceIoctl : always
}

/** Version of Linux 5.19; before it, no file could be moved from one folder into another. */
export const lowestInside = 2

/** Folders inside bubblewrap that are the command's own. */
const ownFolders = ['/tmp', '/proc'] as const

/**
 * Returns the ruleset that adds to the mounts of bubblewrap in `read-only`: writing to files, FIFOs and devices, and
 * controlling devices, only where all is the command's own.
 */
export function insideRuleset(version: number) {
  const control = version >= versionOf.deviceIoctl ? right.deviceIoctl : 0
  const attributes = Buffer.alloc(8)
  attributes.writeBigUInt64LE(BigInt(right.writeFile | right.refer | control))
  return {
    attributes,
    rightsOnOutput: right.writeFile | control,
    rules: [
      // Else nothing could be moved from one folder into another: the kernel refuses that under any ruleset.
      { path: '/', rights: right.refer },
      { path: '/dev', rights: right.writeFile | control },
      ...ownFolders.map((path): Rule => ({ path, rights: right.writeFile })),
    ],
  }
}

/** Returns `struct landlock_ruleset_attr` in the length that this version knows. */
export function rulesetAttributes(version: number, options: { readonly network: boolean }): Buffer {
  const words = [handledRights(version)]
  if (version >= versionOf.network) words.push(options.network ? 0 : network.bindTcp | network.connectTcp)
  if (version >= versionOf.scope) words.push(scope.abstractSockets | scope.signals)
  const attributes = Buffer.alloc(words.length * 8)
  for (const [index, word] of words.entries()) attributes.writeBigUInt64LE(BigInt(word), index * 8)
  return attributes
}
