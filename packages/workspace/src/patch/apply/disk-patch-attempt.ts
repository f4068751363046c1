import { dirname, join } from 'node:path'
import { isMissing } from '@parley/text'
import { succeeds } from '../../files/errors.ts'
import type { FileLike, OldFile, PatchAttempt, PatchFiles, PatchTarget } from '../patch-files.ts'
import { refusesLinks } from './disk-patch-files.ts'

/** Undo of one step, recorded before the step because a failed step may have taken effect. */
type Undo =
  | { readonly kind: 'putBack'; readonly path: string; readonly backup: string }
  | { readonly kind: 'takeAway'; readonly path: string; readonly staged: string }

/** Creates the patch target of this machine: temporary files beside their targets, then renames. */
export function diskPatchTarget(files: PatchFiles): PatchTarget {
  return {
    realPath: files.realPath,
    stat: files.stat,
    readFile: files.readFile,
    list: files.list,
    readLink: files.readLink,
    begin: (tag) => beginAttempt(files, tag),
    removeStrays: async (tag, paths) => void (await removeStrays(tag, paths, files)),
  }
}

function beginAttempt(files: PatchFiles, tag: string): PatchAttempt {
  const temporary = openTemporaryFiles(files, tag)
  const createdFolders: string[] = []
  const undos: Undo[] = []

  async function createFolders(folder: string): Promise<void> {
    if ((await files.stat(folder)) !== null) return
    await createFolders(dirname(folder))
    await files.mkdir(folder)
    createdFolders.push(folder)
  }

  return {
    async stage(target, bytes, like) {
      await createFolders(dirname(target))
      return await temporary.write(target, bytes, like)
    },
    async stageLink(target, leadsTo) {
      await createFolders(dirname(target))
      const path = temporary.nameFor(target)
      temporary.own(path)
      await files.symlink(path, leadsTo)
      return path
    },
    async create(staged, target) {
      undos.push({ kind: 'takeAway', path: target, staged })
      await linkOrRename(files, staged, target)
    },
    async replace(staged, target, old) {
      const backup = await backUp(files, temporary, { target, old })
      undos.push({ kind: 'putBack', path: target, backup })
      await files.rename(staged, target)
      temporary.disown(staged)
    },
    async remove(target) {
      const backup = temporary.nameFor(target)
      temporary.own(backup)
      undos.push({ kind: 'putBack', path: target, backup })
      await files.rename(target, backup)
    },
    async rollBack() {
      const stuck: string[] = []
      for (const step of undos.toReversed()) {
        if (await succeeds(() => undo(files, step))) continue
        stuck.push(stuckMessage(step))
        if (step.kind === 'putBack') temporary.disown(step.backup)
      }
      await temporary.discard()
      for (const folder of createdFolders.toReversed()) await succeeds(() => files.rmdir(folder))
      return stuck
    },
    async conclude() {
      const left = await temporary.discard()
      const folders = [...createdFolders, ...undos.map(({ path }) => path)].map((path) => dirname(path))
      for (const folder of new Set(folders)) await succeeds(() => files.syncFolder(folder))
      return left
    },
  }
}

/** Backs up a file by a hard link, which needs no space; by a copy where links are not possible. */
async function backUp(
  files: PatchFiles,
  temporary: TemporaryFiles,
  { target, old }: { readonly target: string; readonly old: OldFile },
): Promise<string> {
  const backup = temporary.nameFor(target)
  try {
    temporary.own(backup)
    await files.link(target, backup)
    return backup
  } catch (error) {
    if (!refusesLinks(error)) throw error
    return await temporary.write(target, old.bytes, old.stat)
  }
}

/** Creates a file by a hard link, which never replaces a new file; by a check and rename where links are not possible. */
async function linkOrRename(files: PatchFiles, staged: string, target: string): Promise<void> {
  try {
    await files.link(staged, target)
  } catch (error) {
    if (!refusesLinks(error)) throw error
    if ((await files.stat(target)) !== null) throw new Error('a file of that name appeared meanwhile')
    await files.rename(staged, target)
  }
}

async function undo(files: PatchFiles, step: Undo): Promise<void> {
  const made = await files.stat(step.path)
  if (step.kind === 'putBack') {
    const kept = await files.stat(step.backup)
    // Without a backup, or with a backup that links to the same file, the step had no effect.
    if (kept !== null && kept.stamp !== made?.stamp) await files.rename(step.backup, step.path)
    return
  }
  const staged = await files.stat(step.staged)
  // A different file of that name belongs to another program.
  const isOurs = made !== null && (staged === null || staged.stamp === made.stamp)
  if (isOurs) await files.unlink(step.path)
}

function stuckMessage(step: Undo): string {
  if (step.kind === 'takeAway') return `${step.path} was created and could not be removed again.`
  return `${step.path} could not be put back; its old content is in ${step.backup}.`
}

/** Temporary files of one attempt, each in the folder of its target. */
interface TemporaryFiles {
  /** Returns an unused path in the folder of `target`. */
  nameFor(target: string): string
  write(target: string, bytes: Uint8Array, like: FileLike | null): Promise<string>
  /** Adds a path for `discard` to remove. */
  own(path: string): void
  /** Keeps a path from `discard`. */
  disown(path: string): void
  /** Removes all owned files. Returns the paths that it could not remove. */
  discard(): Promise<string[]>
}

function openTemporaryFiles(files: PatchFiles, tag: string): TemporaryFiles {
  const owned = new Set<string>()
  let count = 0
  const nameFor = (target: string): string => {
    const path = join(dirname(target), `.parley-${tag}-${count}.tmp`)
    count += 1
    return path
  }
  return {
    nameFor,
    async write(target, bytes, like) {
      const path = nameFor(target)
      // Owned before the write, because a failed write may leave a partial file.
      owned.add(path)
      await files.writeTemp(path, bytes, like)
      return path
    },
    own: (path) => void owned.add(path),
    disown: (path) => void owned.delete(path),
    async discard() {
      const left: string[] = []
      for (const path of owned) if (!(await succeeds(() => removeIfThere(path, files)))) left.push(path)
      return left
    },
  }
}

/** Removes temporary files of an interrupted attempt from the folders of these real paths. Returns the removed paths. */
export async function removeStrays(tag: string, paths: readonly string[], files: PatchFiles): Promise<string[]> {
  const removed: string[] = []
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    for (const name of await files.list(folder)) {
      if (!isStrayOf(tag, name)) continue
      const stray = join(folder, name)
      await removeIfThere(stray, files)
      removed.push(stray)
    }
  }
  return removed
}

function isStrayOf(tag: string, name: string): boolean {
  const opening = `.parley-${tag}-`
  return name.startsWith(opening) && /^\d+\.tmp$/.test(name.slice(opening.length))
}

async function removeIfThere(path: string, files: PatchFiles): Promise<void> {
  try {
    await files.unlink(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
