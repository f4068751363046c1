import { chmodSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { namesIn } from './list-folder.ts'
import { createMark, isOwnerAlive, parseMark } from './marks.ts'
import { pidNamespace, readStat } from './process-table.ts'

/**
 * Returns a name for an entry that a process has on disk only while it runs: the kind, the process's namespace and a
 * mark. By such names leftovers of killed processes are found.
 */
export function ownName(kind: string): string {
  return `${kind}-${ownNamespace()}-${createMark()}`
}

/** Returns what all names of this process hold after their kind, as patterns of a shell find them; null without /proc. */
export function ownNamePart(): string | null {
  const startTime = readStat(process.pid)?.startTime
  return startTime === undefined ? null : `${ownNamespace()}-${process.pid}-${startTime}`
}

/**
 * Returns true for a name of this kind from a process that has ended. Process ids of another namespace prove nothing.
 * False without /proc.
 */
export function isAbandoned(name: string, kind: string): boolean {
  const { namespace, mark = '' } = partsOf(name, kind) ?? {}
  const owner = parseMark(mark)
  return owner !== null && namespace !== '' && namespace === ownNamespace() && !isOwnerAlive(owner)
}

/** Returns true for a name that `ownName` made for this kind, in any process. */
export function isOwnName(name: string, kind: string): boolean {
  return partsOf(name, kind) !== null
}

const afterKind = /^-(?<namespace>\d*)-(?<mark>\d+-\d+-[0-9a-f]+)$/

function partsOf(name: string, kind: string): Partial<Record<string, string>> | null {
  return name.startsWith(kind) ? (afterKind.exec(name.slice(kind.length))?.groups ?? null) : null
}

let cachedNamespace: string | undefined

function ownNamespace(): string {
  cachedNamespace ??= /\d+/.exec(pidNamespace('self') ?? '')?.[0] ?? ''
  return cachedNamespace
}

/** Folder for temporary files that sandboxed programs can read, as their /tmp is another one, and not write. */
export const readableTmp = '/var/tmp'

const folderKinds = ['ephemeral', 'fifo', 'hooks', 'probe', 'replay', 'scratch', 'search'] as const

type FolderKind = (typeof folderKinds)[number]

function nameKind(kind: FolderKind): string {
  return `parley-${kind}`
}

/** Makes a temporary folder (0700) of the caller's, which is also removed if this process is killed. Throws the system's error. */
export function makeOwnFolder(kind: FolderKind, parent: string = tmpdir()): string {
  const path = join(parent, ownName(nameKind(kind)))
  mkdirSync(path)
  // Whatever the umask is.
  chmodSync(path, 0o700)
  return path
}

/** Lists the temporary folders that killed processes left in a folder. */
export function abandonedFolders(parent: string = tmpdir()): string[] {
  const isLeft = (name: string) => folderKinds.some((kind) => isAbandoned(name, nameKind(kind)))
  return (namesIn(parent) ?? []).filter(isLeft).map((name) => join(parent, name))
}
