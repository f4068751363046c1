import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { errorMessage } from '@parley/text'
import { identityOf, isWithin, lookAt, presentAmong } from '../system/real-path.ts'
import type { GuardedPlaces } from './closed-places.ts'
import {
  differingFiles,
  filesOpenElsewhere,
  placeOf,
  type RememberedFile,
  type RememberedFiles,
  rememberFiles,
} from './remembered-files.ts'
import { isPlaceholder } from './reserved-names.ts'

/** Paths that a sandbox closes by mounts, which go when another program puts a new file there. */
interface Watched extends Pick<GuardedPlaces, 'kept' | 'links' | 'absent'> {
  /** Real paths of the writable folders. */
  readonly roots: readonly string[]
  /** Names reserved for the command. */
  readonly held: readonly string[]
  /** Secret places, existing or not, which the sandbox hides. */
  readonly hidden: readonly string[]
  /** True for a sandbox that closes names: only what further names and links open is put back. */
  readonly closesNames: boolean
}

/**
 * Remembers what is guarded. Call the returned function once, after all processes of the command, or with false if it
 * never ran: it puts back what was exchanged, unless that kept its mount, and returns a sentence for each.
 */
export function watchGuarded({
  kept,
  links,
  absent,
  roots,
  held,
  hidden,
  closesNames,
}: Watched): (ran: boolean) => string[] {
  const own = new Set([...kept, ...links, ...held, ...absent])
  const watches = [
    ...kept.map((path) => begin(path, () => ({ kind: 'files', before: rememberFiles(path), closesNames }))),
    ...links.map((path) => begin(path, () => ({ kind: 'link', target: targetAt(path) }))),
    ...[...held, ...absent].map((path) => begin(path, () => ({ kind: 'name' }))),
    // A path that another command watches may be none to guard any more, since that command replaced it.
    ...[...active].flatMap(([path, { state }]) =>
      own.has(path) || !roots.some((root) => isWithin(path, root)) ? [] : [begin(path, () => state)],
    ),
  ]
  const secrets = presentAmong(hidden)
  return (ran) => {
    const said = watches.flatMap((watch) => end(watch, ran ? roots : null))
    if (!ran) return []
    const present = [...presentAmong(hidden)]
    return [...said, ...present.flatMap(([path, now]) => secretSentence(path, secrets.get(path) ?? null, now))]
  }
}

type State =
  | { readonly kind: 'files'; readonly before: RememberedFiles; readonly closesNames: boolean }
  | { readonly kind: 'link'; readonly target: string | null }
  | { readonly kind: 'name' }

interface ActiveState {
  readonly state: State
  /** Identity with which the path is as it should be. */
  identity: string | null
  watches: number
}

interface Watch {
  readonly path: string
  readonly state: State
  readonly identity: string | null
  /** True for a path that was already exchanged when the command began: it counts as it was for an earlier command. */
  readonly isInherited: boolean
}

/** Paths watched for all commands that run now. What one of them has written must not be what another puts back. */
const active = new Map<string, ActiveState>()

function begin(path: string, remember: () => State): Watch {
  const identity = identityOf(path)
  const other = active.get(path)
  if (other === undefined) {
    const state = remember()
    active.set(path, { state, identity, watches: 1 })
    return { path, state, identity, isInherited: false }
  }
  other.watches += 1
  if (other.identity !== identity) return { path, state: other.state, identity: other.identity, isInherited: true }
  return { path, state: isShared(other.state) ? other.state : remember(), identity, isInherited: false }
}

/** Returns true for files that a command can write by other names, so that only their first content counts. */
function isShared(state: State): boolean {
  return state.kind === 'files' && [...(state.before ?? [])].some(([, file]) => file.isShared)
}

/** Ends a watch; `roots` is null for a command that never ran, which can have changed nothing. */
function end(watch: Watch, roots: readonly string[] | null): string[] {
  const { path, isInherited } = watch
  const other = active.get(path)
  if (other !== undefined) other.watches -= 1
  const isLast = other === undefined || other.watches === 0
  if (isLast) active.delete(path)
  // The command that runs longer puts it back.
  if (roots === null || (isInherited && !isLast)) return []
  const said = restore(watch, roots)
  if (other !== undefined) other.identity = identityOf(path)
  return said
}

function restore({ path, state, identity, isInherited }: Watch, roots: readonly string[]): string[] {
  switch (state.kind) {
    case 'files':
      return state.closesNames || (identityOf(path) === identity && !isInherited)
        ? putBackShared(path, state.before, roots)
        : putBack(path, state.before, roots)
    case 'link':
      return state.target === null || targetAt(path) === state.target ? [] : putBackLink(path, state.target, roots)
    case 'name':
      return isUnchangedName(path, identity) ? [] : takeAway(path, roots)
  }
}

/** Puts back what differs. A file that is gone stays so: nothing can run from it. */
function putBack(path: string, before: RememberedFiles, roots: readonly string[]): string[] {
  const now = lookAt(path)
  if (now === null) return []
  if (before === null) return [`${exchanged(path)} It is too large to be compared: look at it before you go on.`]
  const isFolder = !before.has('')
  if (isFolder !== now.isDirectory()) return replaced(path, before, roots)
  return differingFiles(path, before).flatMap((name) => replaced(placeOf(path, name), one(before.get(name)), roots))
}

/** Puts back files that keep their mount and were written by another of their names, or where a link leads. */
function putBackShared(path: string, before: RememberedFiles, roots: readonly string[]): string[] {
  const names = before === null ? [] : filesOpenElsewhere(path, before, roots)
  return names.flatMap((name) => replaced(placeOf(path, name), one(before?.get(name)), roots))
}

function one(file: RememberedFile | undefined): ReadonlyMap<string, RememberedFile> {
  return file === undefined ? new Map() : new Map([['', file]])
}

function replaced(path: string, before: ReadonlyMap<string, RememberedFile>, roots: readonly string[]): string[] {
  return repaired(path, roots, (name) => {
    const aside = lookAt(name) === null ? null : moveAside(name, path)
    for (const [file, content] of before) inFolder(placeOf(path, file), roots, (at) => write(at, content))
    return `${exchanged(path)} It is as it was when the command began${aside === null ? '' : `; what was there is kept as ${aside}`}.`
  })
}

function putBackLink(path: string, target: string, roots: readonly string[]): string[] {
  return repaired(path, roots, (name) => {
    const aside = lookAt(name) === null ? null : moveAside(name, path)
    symlinkSync(target, name)
    const rest = aside === null ? '' : `; what was there is kept as ${aside}`
    return `The link ${path}, which leads to what runs later, was replaced while a command ran. It leads to ${target} again${rest}.`
  })
}

function takeAway(path: string, roots: readonly string[]): string[] {
  return repaired(path, roots, (name) => {
    const aside = moveAside(name, path)
    return `${path}, which would run later, appeared while a command ran that could write it. It was moved aside and is kept as ${aside}.`
  })
}

/** Returns what `repair` says, or why it failed. */
function repaired(path: string, roots: readonly string[], repair: (name: string) => string): string[] {
  try {
    return [inFolder(path, roots, repair)]
  } catch (error) {
    const why = errorMessage(error)
    return [`${exchanged(path)} It could not be put back (${why}): look at it before you go on.`]
  }
}

/** Calls `use` with a name for a path that no link can divert. */
function inFolder<Result>(path: string, roots: readonly string[], use: (name: string) => Result): Result {
  const root = roots.find((each) => isWithin(path, each))
  if (root === undefined) throw new Error('it lies in no writable folder')
  const folder = openFolder(root, dirname(path))
  try {
    return use(`${descriptor(folder)}/${basename(path)}`)
  } finally {
    closeSync(folder)
  }
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Opens a folder below a root part by part; moves links on the way aside and makes the folder in their place. */
function openFolder(root: string, folder: string): number {
  let fd = openSync(root, folderFlags)
  for (const part of relative(root, folder).split('/')) {
    if (part === '') continue
    const name = `${descriptor(fd)}/${part}`
    try {
      if (lookAt(name)?.isDirectory() === false) moveAside(name, part)
      if (lookAt(name) === null) mkdirSync(name)
      const next = openSync(name, folderFlags)
      closeSync(fd)
      fd = next
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }
  return fd
}

/** Renames what is at a name in its folder. Returns its new path, for `path` as people know it. */
function moveAside(name: string, path: string): string {
  const suffix = `.parley-aside-${randomBytes(4).toString('hex')}`
  renameSync(name, `${name}${suffix}`)
  return `${path}${suffix}`
}

function write(name: string, { bytes, isLink, mode }: RememberedFile): void {
  if (isLink) {
    symlinkSync(bytes, name)
    return
  }
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const fd = openSync(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

function descriptor(fd: number): string {
  return `/proc/self/fd/${fd}`
}

function targetAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** A name is as before when it is free, is the same folder, or is reserved again for another command. */
function isUnchangedName(path: string, identity: string | null): boolean {
  const now = identityOf(path)
  return now === null || now === identity || isPlaceholder(path)
}

function secretSentence(path: string, before: string | null, now: string): string[] {
  if (now === before) return []
  const what = before === null ? 'appeared' : 'was exchanged by another program'
  return [`${path}, where secrets are kept, ${what} while a command ran. The command may have read it.`]
}

function exchanged(path: string): string {
  return `${path}, which runs later, was exchanged by another program while a command ran that could write it from then on.`
}
