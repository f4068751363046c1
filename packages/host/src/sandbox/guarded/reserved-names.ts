import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../system/error-code.ts'
import { createMark, isOwnerAlive, parseMark } from '../../system/marks.ts'
import { pidNamespace } from '../../system/process-table.ts'

/**
 * Keeps a name that is not there from being taken: an empty folder stands in its place, to be mounted over itself. To
 * take such a folder away would undo the mount in every other sandbox, so each that relies on it puts a folder of its
 * own into it, and the last one's removal is the first that the system lets through. Nothing that we did not make is
 * removed, and folders without files are nothing to git.
 */
export interface ReservedName {
  readonly path: string
  release(): void
}

const holderName = /^parley-hold-(?<namespace>\d*)-(?<mark>\d+-\d+-[0-9a-f]+)$/

/** A folder can go between our look and our step into it, whenever another command ends. */
const maxAttempts = 20

/** Null when nobody can make it: not we, and not the command, which has no more rights. */
export function reserveName(path: string): ReservedName | null {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const look = makeOrLook(path)
    if (look === 'impossible') return null
    // Of somebody else, so it is there, and stays.
    if (look === 'other') return { path, release: () => undefined }
    const holder = join(path, holderOfOurs())
    if (makeFolder(holder) === 'made') {
      return {
        path,
        release() {
          removeFolder(holder)
          if (look === 'ours') removeFolder(path)
        },
      }
    }
  }
  throw new Error(`${path} comes and goes, so it cannot be kept from being made`)
}

/** Whether this is no more than what holds a name: of a command that runs, or of one that was killed. */
export function isPlaceholder(path: string): boolean {
  return list(path)?.every((name) => holderName.test(name)) ?? false
}

/** `empty`: maybe another command's that will step into it in a moment, or a person's. */
function makeOrLook(path: string): 'ours' | 'empty' | 'other' | 'impossible' {
  const made = makeFolder(path)
  if (made === 'made') return 'ours'
  if (made === 'impossible') return 'impossible'
  if (made === 'gone') throw new Error(`The folder of ${path} is gone, so it cannot be kept from being made`)
  const entries = list(path)
  if (entries === null) return 'other'
  if (entries.length === 0) return 'empty'
  if (!entries.every((name) => holderName.test(name))) return 'other'
  for (const name of entries) if (isAbandoned(name)) removeFolder(join(path, name))
  return 'ours'
}

/** Of a process that was killed. What another namespace's processes are called says nothing here. */
function isAbandoned(name: string): boolean {
  const { namespace = '', mark = '' } = holderName.exec(name)?.groups ?? {}
  const owner = parseMark(mark)
  return owner !== null && namespace === ourNamespace() && !isOwnerAlive(owner)
}

function holderOfOurs(): string {
  return `parley-hold-${ourNamespace()}-${createMark()}`
}

let cachedNamespace: string | undefined

function ourNamespace(): string {
  cachedNamespace ??= /\d+/.exec(pidNamespace('self') ?? '')?.[0] ?? ''
  return cachedNamespace
}

function makeFolder(path: string): 'made' | 'exists' | 'impossible' | 'gone' {
  try {
    mkdirSync(path, 0o755)
    return 'made'
  } catch (error) {
    switch (errorCode(error)) {
      case 'EEXIST':
        return 'exists'
      case 'ENOENT':
        return 'gone'
      case 'EACCES':
      case 'EPERM':
      case 'EROFS':
      case 'ENOTDIR':
        return 'impossible'
      default:
        throw error
    }
  }
}

function list(path: string): string[] | null {
  try {
    return readdirSync(path)
  } catch {
    return null
  }
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Another command holds it, or it went already.
  }
}
