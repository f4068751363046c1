import { mkdirSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../system/errors.ts'
import { appendUnlocked, readUnlocked } from '../system/locked-files.ts'
import { createMark, isOwnerAlive, parseMark } from '../system/marks.ts'
import { pidNamespace } from '../system/process-table.ts'

/**
 * Missing name that a command cannot take: an empty folder is put there as a placeholder, to be mounted over itself.
 * Removing it would undo the mount in other sandboxes, so each puts a holder folder of its own into it, and the system
 * refuses the removal until the last holder is gone. Only own folders are removed; git ignores folders without files.
 */
export interface ReservedName {
  readonly path: string
  release(): void
}

const holderName = /^parley-hold-(?<namespace>\d*)-(?<mark>\d+-\d+-[0-9a-f]+)$/

/** Attempts: the placeholder can vanish, as another command ends, before the holder is made in it. */
const maxAttempts = 20

/**
 * Reserves a name; null when this process, and so the command, has no right to make it. Throws a sentence otherwise. The
 * path is noted in `notes` first, a folder for `sweepReserved`.
 */
export function reserveName(path: string, notes: string | null = null): ReservedName | null {
  if (notes !== null) note(path, notes)
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const kind = makeOrClassify(path)
    if (kind === 'impossible') return null
    // Another program made it, so the name exists and is not removed.
    if (kind === 'other') return { path, release: () => undefined }
    const holder = join(path, ownHolderName())
    if (makeFolder(holder) === 'made') {
      return {
        path,
        release() {
          removeFolder(holder)
          if (kind === 'own') removeFolder(path)
        },
      }
    }
  }
  throw new Error(`${path} comes and goes, so it cannot be kept from being made`)
}

/** Returns true for a folder that only reserves a name, for a running or a killed command. */
export function isPlaceholder(path: string): boolean {
  return list(path)?.every((name) => holderName.test(name)) ?? false
}

/** Makes the folder or classifies it. `empty`: another command may be about to add its holder, or a person made it. */
function makeOrClassify(path: string): 'own' | 'empty' | 'other' | 'impossible' {
  const made = makeFolder(path)
  if (made === 'made') return 'own'
  if (made === 'impossible') return 'impossible'
  if (made === 'gone') throw new Error(`The folder of ${path} is gone, so it cannot be kept from being made`)
  const entries = list(path)
  if (entries === null) return 'other'
  if (entries.length === 0) return 'empty'
  if (!entries.every((name) => holderName.test(name))) return 'other'
  for (const name of entries) if (isAbandoned(name)) removeFolder(join(path, name))
  return 'own'
}

/** Returns true for the holder of a killed process. Process ids of another namespace mean nothing here. */
function isAbandoned(name: string): boolean {
  const { namespace = '', mark = '' } = holderName.exec(name)?.groups ?? {}
  const owner = parseMark(mark)
  return owner !== null && namespace === ownNamespace() && !isOwnerAlive(owner)
}

function ownHolderName(): string {
  return `parley-hold-${ownNamespace()}-${createMark()}`
}

let cachedNamespace: string | undefined

function ownNamespace(): string {
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
    // Another command holds it, or it is already gone.
  }
}

const noteName = /^held-(?<namespace>\d*)-(?<mark>\d+-\d+-[0-9a-f]+)$/
const noted = new Set<string>()
let noteFile: string | null = null

/** Notes a path once, so that a later process finds what a killed one left. A failure costs only that. */
function note(path: string, folder: string): void {
  if (noted.has(path)) return
  noted.add(path)
  noteFile ??= join(folder, `held-${ownNamespace()}-${createMark()}`)
  try {
    appendUnlocked(noteFile, `${JSON.stringify(path)}\n`)
  } catch {
    // The name is reserved all the same.
  }
}

/** Removes names that killed processes left reserved, as far as nothing else was put there. `notes`: see `reserveName`. */
export function sweepReserved(notes: string): void {
  for (const name of list(notes) ?? []) {
    const { namespace = '', mark = '' } = noteName.exec(name)?.groups ?? {}
    const owner = parseMark(mark)
    if (owner === null || namespace !== ownNamespace() || isOwnerAlive(owner)) continue
    for (const path of pathsNoted(join(notes, name))) removeAbandoned(path)
    removeNote(join(notes, name))
  }
}

function removeAbandoned(path: string): void {
  const holders = list(path)
  if (holders === null || holders.length === 0 || !holders.every((name) => holderName.test(name))) return
  for (const name of holders) if (isAbandoned(name)) removeFolder(join(path, name))
  removeFolder(path)
}

function pathsNoted(file: string): string[] {
  try {
    return readUnlocked(file)
      .split('\n')
      .flatMap((line) => (line.startsWith('"/') && line.endsWith('"') ? [String(JSON.parse(line))] : []))
  } catch {
    return []
  }
}

function removeNote(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // Another process swept it at the same time.
  }
}
