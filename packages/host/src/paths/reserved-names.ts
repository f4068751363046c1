import { mkdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, orNull } from '@parley/text'
import { namesIn } from '../system/list-folder.ts'
import { appendUnlocked, readUnlocked } from '../system/locked-files.ts'
import { isAbandoned, isOwnName, ownName } from '../system/own-leftovers.ts'

/**
 * Missing name that a command cannot take: an empty placeholder folder, to be mounted over itself. Each sandbox holds
 * it by a folder inside, since its removal would undo the mounts of others.
 */
export interface ReservedName {
  readonly path: string
  release(): void
}

/** Kind of the holder folders in a placeholder. */
export const holderKind = 'parley-hold'

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
    const holder = join(path, ownName(holderKind))
    if (makeFolder(holder) === 'made') {
      reserved += 1
      return {
        path,
        release() {
          reserved -= 1
          removeFolder(holder)
          // The system refuses this while another holder is inside. git ignores folders without files.
          if (kind === 'own') removeFolder(path)
        },
      }
    }
  }
  throw new Error(`${path} comes and goes, so it cannot be kept from being made`)
}

/** Returns true for a folder that only reserves a name, for a running or a killed command. */
export function isPlaceholder(path: string): boolean {
  return namesIn(path)?.every((name) => isOwnName(name, holderKind)) ?? false
}

/** Makes the folder or classifies it. `empty`: another command may be about to add its holder, or a person made it. */
function makeOrClassify(path: string): 'own' | 'empty' | 'other' | 'impossible' {
  const made = makeFolder(path)
  if (made === 'made') return 'own'
  if (made === 'impossible') return 'impossible'
  if (made === 'gone') throw new Error(`The folder of ${path} is gone, so it cannot be kept from being made`)
  const entries = namesIn(path)
  if (entries === null) return 'other'
  if (entries.length === 0) return 'empty'
  if (!entries.every((name) => isOwnName(name, holderKind))) return 'other'
  for (const name of entries) if (isAbandoned(name, holderKind)) removeFolder(join(path, name))
  return 'own'
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

function removeFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Another command holds it, or it is already gone.
  }
}

/** Kind of the notes about reserved names. */
export const noteKind = 'held'
const noted = new Set<string>()
let noteFile: string | null = null
/** Count of names that this process has reserved. */
let reserved = 0

/** Notes a path once, so that a later process finds reserved names of a killed one. A failure costs only that. */
function note(path: string, folder: string): void {
  if (noted.has(path)) return
  noted.add(path)
  noteFile ??= newNote(folder)
  try {
    appendUnlocked(noteFile, `${JSON.stringify(path)}\n`)
  } catch {
    // The name is reserved all the same.
  }
}

/** Returns the path of this process's note, which is removed at an exit that leaves no name reserved. */
function newNote(folder: string): string {
  const file = join(folder, ownName(noteKind))
  process.once('exit', () => {
    if (reserved === 0) removeNote(file)
  })
  return file
}

/** Removes names that killed processes left reserved, as far as nothing else was put there. `notes`: see `reserveName`. */
export function sweepReserved(notes: string): void {
  for (const name of abandonedNotes(notes)) {
    for (const path of pathsNoted(join(notes, name))) removeAbandoned(path)
    removeNote(join(notes, name))
  }
}

/** Returns true when a killed process has left a note in this folder. */
export function hasAbandonedNotes(notes: string): boolean {
  return abandonedNotes(notes).length > 0
}

function abandonedNotes(notes: string): string[] {
  return (namesIn(notes) ?? []).filter((name) => isAbandoned(name, noteKind))
}

function removeAbandoned(path: string): void {
  const holders = namesIn(path)
  if (holders === null || holders.length === 0 || !holders.every((name) => isOwnName(name, holderKind))) return
  for (const name of holders) if (isAbandoned(name, holderKind)) removeFolder(join(path, name))
  removeFolder(path)
}

function pathsNoted(file: string): string[] {
  const isWhole = (line: string) => line.startsWith('"/') && line.endsWith('"')
  const lines = () => readUnlocked(file).split('\n').filter(isWhole)
  return orNull(() => lines().map((line) => String(JSON.parse(line)))) ?? []
}

function removeNote(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // Another process swept it at the same time.
  }
}
