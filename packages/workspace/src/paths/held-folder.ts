import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, opendir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { assertOpenedAt, descriptorPath } from './open-real-file.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
const canNameDescriptors = process.platform === 'linux'

/**
 * Calls `use` with a name for the real path `path` that stays within its folder whatever happens to the path meanwhile:
 * on Linux through a descriptor of the folder, opened and then checked to be the one that was meant. Elsewhere the check
 * is by path and leaves a gap of microseconds.
 */
export async function inFolder<Result>(path: string, use: (name: string) => Promise<Result>): Promise<Result> {
  return withFolder(dirname(path), (folder) => use(nameIn(folder, path)))
}

/** The folder at a real path, held open and checked to be the one there. */
export async function withFolder<Result>(path: string, use: (folder: FileHandle) => Promise<Result>): Promise<Result> {
  await using folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await assertOpenedAt(folder, path)
  return await use(folder)
}

/** The entries of the folder at a real path, read on as long as the caller does. */
export async function* entriesOf(path: string): AsyncGenerator<Dirent, void, undefined> {
  await using folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await assertOpenedAt(folder, path)
  yield* await opendir(canNameDescriptors ? descriptorPath(folder) : path)
}

function nameIn(folder: FileHandle, path: string): string {
  return canNameDescriptors ? `${descriptorPath(folder)}/${basename(path)}` : path
}
