import { closeSync, constants, fchmodSync, openSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '@parley/text'
import { entriesIn } from '../system/list-folder.ts'
import { identityOf, isWithin, linkTarget, lookAt, presentAmong } from '../system/real-path.ts'
import { isClosedByPattern } from './auto-run-names.ts'
import { type Exchanged, inFolder, limitReports, moveAside } from './move-aside.ts'
import {
  differingFiles,
  filesOpenElsewhere,
  placeOf,
  type RememberedFile,
  type RememberedFiles,
  rememberFiles,
} from './remembered-files.ts'
import { isPlaceholder } from './reserved-names.ts'
import type { SandboxGuards } from './sandbox-guards.ts'

/** Paths that a sandbox closes by mounts, which go when another program puts a new file there. */
interface GuardedState extends Pick<SandboxGuards, 'kept' | 'links' | 'absent' | 'reportOnly'> {
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
 * Remembers guarded paths. Call the returned function once, after all processes of the command, or with false if it
 * never ran: it restores exchanged paths that lost their mount, and reports the fate of each.
 */
export function watchGuardedPaths({
  kept,
  links,
  absent,
  reportOnly,
  roots,
  held,
  hidden,
  closesNames,
}: GuardedState): (ran: boolean) => Exchanged[] {
  const own = new Set([...kept, ...links, ...held, ...absent])
  const watches = [
    ...kept.map((path) =>
      begin(path, () => ({
        kind: 'files',
        before: rememberFiles(path),
        closesNames,
        isReportOnly: reportOnly.has(path),
      })),
    ),
    ...links.map((path) => begin(path, () => ({ kind: 'link', target: linkTarget(path) }))),
    ...held.map((path) => begin(path, () => ({ kind: 'name' }))),
    // Just found missing: to look at each of them again takes a millisecond.
    ...absent.map((path) => begin(path, () => ({ kind: 'name' }), null)),
    // After another command replaced a path that it watches, this command may not find it guarded any more.
    ...[...active].flatMap(([path, { state }]) =>
      own.has(path) || !roots.some((root) => isWithin(path, root)) ? [] : [begin(path, () => state)],
    ),
  ]
  const secrets = presentAmong(hidden)
  const named = new Set(closesNames ? [] : closedByPattern(roots))
  return (ran) => {
    const isStillMissing = missingAmong(ran ? absent : [])
    const found = watches.flatMap((watch) => end(watch, ran && !isStillMissing(watch.path) ? roots : null))
    if (!ran) return []
    const made = closesNames ? [] : closedByPattern(roots).filter((path) => !named.has(path))
    const present = [...presentAmong(hidden)]
    return [
      ...found,
      ...limitReports(made.flatMap((path) => moveNewAside(path, roots))),
      ...present.flatMap(([path, now]) => secretSentence(path, secrets.get(path) ?? null, now)),
    ]
  }
}

/** Returns a test of paths that are missing among these, found by listing their folders. */
function missingAmong(paths: readonly string[]): (path: string) => boolean {
  const present = presentAmong(paths)
  const missing = new Set(paths.filter((path) => !present.has(path)))
  return (path) => missing.has(path)
}

/** Lists what lies at the top of writable folders under a name that fits a pattern of the closed ones. */
function closedByPattern(roots: readonly string[]): string[] {
  return roots.flatMap((root) =>
    (entriesIn(root) ?? []).flatMap(({ name }) => (isClosedByPattern(name) ? [join(root, name)] : [])),
  )
}

type RememberedState =
  | {
      readonly kind: 'files'
      readonly before: RememberedFiles
      readonly closesNames: boolean
      readonly isReportOnly: boolean
    }
  | { readonly kind: 'link'; readonly target: string | null }
  | { readonly kind: 'name' }

interface ActiveState {
  readonly state: RememberedState
  /** Identity with which the path is as it should be. */
  identity: string | null
  watches: number
}

interface Watch {
  readonly path: string
  readonly state: RememberedState
  readonly identity: string | null
  /** True for a path that was already exchanged when the command began: it counts as it was for an earlier command. */
  readonly isInherited: boolean
}

/** Paths watched for all commands that run now. What one of them has written must not be what another puts back. */
const active = new Map<string, ActiveState>()

function begin(path: string, remember: () => RememberedState, identity = identityOf(path)): Watch {
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
function isShared(state: RememberedState): boolean {
  return state.kind === 'files' && [...(state.before ?? [])].some(([, file]) => file.isShared)
}

/** Ends a watch; `roots` is null where nothing can have changed. */
function end(watch: Watch, roots: readonly string[] | null): Exchanged[] {
  const { path, isInherited } = watch
  const other = active.get(path)
  if (other !== undefined) other.watches -= 1
  const isLast = other === undefined || other.watches === 0
  if (isLast) active.delete(path)
  // The command that runs longer puts it back.
  if (roots === null || (isInherited && !isLast)) return []
  const found = restore(watch, roots)
  if (other !== undefined) other.identity = identityOf(path)
  return found
}

function restore({ path, state, identity, isInherited }: Watch, roots: readonly string[]): Exchanged[] {
  switch (state.kind) {
    case 'files':
      return state.closesNames || (identityOf(path) === identity && !isInherited)
        ? putBackShared(path, state.before, roots)
        : state.isReportOnly
          ? reportExchanged(path, state.before)
          : putBack(path, state.before, roots)
    case 'link':
      return state.target === null || linkTarget(path) === state.target ? [] : putBackLink(path, state.target, roots)
    case 'name':
      return isUnchangedName(path, identity) ? [] : moveNewAside(path, roots)
  }
}

function reportExchanged(path: string, before: RememberedFiles): Exchanged[] {
  const isSame = before?.has('') === true && differingFiles(path, before).length === 0
  return lookAt(path) === null || isSame ? [] : [{ text: `${exchanged(path)} Look at it before you go on.` }]
}

/** Puts back what differs. A file that is gone stays so: nothing can run from it. */
function putBack(path: string, before: RememberedFiles, roots: readonly string[]): Exchanged[] {
  const now = lookAt(path)
  if (now === null) return []
  if (before === null)
    return [{ text: `${exchanged(path)} It is too large to be compared: look at it before you go on.` }]
  const isFolder = !before.has('')
  if (isFolder !== now.isDirectory()) return replaced(path, before, roots)
  return differingFiles(path, before).flatMap((name) =>
    replaced(placeOf(path, name), onlyFile(before.get(name)), roots),
  )
}

/** Puts back files that keep their mount and were written by another of their names, or where a link leads. */
function putBackShared(path: string, before: RememberedFiles, roots: readonly string[]): Exchanged[] {
  const names = before === null ? [] : filesOpenElsewhere(path, before, roots)
  return names.flatMap((name) => replaced(placeOf(path, name), onlyFile(before?.get(name)), roots))
}

function onlyFile(file: RememberedFile | undefined): ReadonlyMap<string, RememberedFile> {
  return file === undefined ? new Map() : new Map([['', file]])
}

function replaced(path: string, before: ReadonlyMap<string, RememberedFile>, roots: readonly string[]): Exchanged[] {
  return repaired(path, roots, (name) => {
    const aside = lookAt(name) === null ? null : moveAside(name, path)
    for (const [file, content] of before) inFolder(placeOf(path, file), roots, (at) => write(at, content))
    const rest = aside === null ? '' : `; what was there is kept as ${aside}`
    return { text: `${exchanged(path)} It is as it was when the command began${rest}.` }
  })
}

function putBackLink(path: string, target: string, roots: readonly string[]): Exchanged[] {
  return repaired(path, roots, (name) => {
    const aside = lookAt(name) === null ? null : moveAside(name, path)
    symlinkSync(target, name)
    const rest = aside === null ? '' : `; what was there is kept as ${aside}`
    const text = `The link ${path}, which leads to what runs later, was replaced while a command ran.`
    return { text: `${text} It leads to ${target} again${rest}.` }
  })
}

function moveNewAside(path: string, roots: readonly string[]): Exchanged[] {
  return repaired(path, roots, (name) => {
    const aside = moveAside(name, path)
    const text = `${path}, which other programs start or obey later, appeared while a command ran that could write it.`
    return { text: `${text} It was moved aside and is kept as ${aside}.`, moved: { path, aside } }
  })
}

/** Returns the report of `repair`, or the reason for its failure. */
function repaired(path: string, roots: readonly string[], repair: (name: string) => Exchanged): Exchanged[] {
  try {
    return [inFolder(path, roots, repair)]
  } catch (error) {
    const why = errorMessage(error)
    return [{ text: `${exchanged(path)} It could not be put back (${why}): look at it before you go on.` }]
  }
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

/** A name is as before when it is free, is the same folder, or is reserved again for another command. */
function isUnchangedName(path: string, identity: string | null): boolean {
  const now = identityOf(path)
  return now === null || now === identity || isPlaceholder(path)
}

function secretSentence(path: string, before: string | null, now: string): Exchanged[] {
  if (now === before) return []
  const what = before === null ? 'appeared' : 'was exchanged by another program'
  return [{ text: `${path}, where secrets are kept, ${what} while a command ran. The command may have read it.` }]
}

function exchanged(path: string): string {
  return `${path}, which runs later, was exchanged by another program while a command ran that could write it from then on.`
}
