import { dirname } from 'node:path'
import { commonFolderTarget, gitFileTarget } from '@parley/host'
import { type EnvironmentFiles, readOpening } from './environment-files.ts'
import { whenUnknown } from './errors.ts'

const maxTextBytes = 1024 * 1024

/** Returns the git directory that a `.git` leads to, on the machine of the files; null where git takes it for nothing. */
export async function gitFolderAt(entry: string, files: EnvironmentFiles): Promise<string | null> {
  const kind = (await files.look(entry).catch(whenUnknown(null)))?.kind
  if (kind === undefined || kind === 'other') return null
  return kind === 'folder' ? entry : gitFileTarget((await smallText(entry, files)) ?? '', dirname(entry))
}

/** Returns the folder that a git directory shares with other work trees, where its excludes are; itself without others. */
export async function commonFolderAt(folder: string, files: EnvironmentFiles): Promise<string> {
  return commonFolderTarget((await smallText(`${folder}/commondir`, files)) ?? '', folder)
}

/** Reads a file of at most 1 MiB, links followed; null for a missing file. */
export async function smallText(path: string, files: EnvironmentFiles): Promise<string | null> {
  const real = await files.realPath(path).catch(whenUnknown(null))
  return real === null ? null : readOpening(files, real, maxTextBytes)
}
