import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Overrides } from '@parley/protocol'
import { errorCode, isMissing } from '@parley/text'
import { invalidParam, rejection } from '../replies/rejection.ts'

/** Returns the absolute folders besides the working folder that a caller names as writable. */
export function addedFolders({ addDirs = [], writableRoots = [] }: Overrides, cwd: string): readonly string[] {
  return [...new Set([...writableRoots, ...addDirs].map((folder) => resolve(cwd, folder)))]
}

/** Throws `configInvalid` for added folders that cannot be entered; for folders of this machine only. */
export function assertAdded(folders: readonly string[]): void {
  for (const folder of folders) {
    const problem = problemWith(folder)
    if (problem !== null)
      throw rejection('configInvalid', `The added folder ${folder} ${problem}.`, { where: 'addDirs' })
  }
}

/**
 * Returns the absolute path of a folder to work in. Throws `cwdMissing`, unless nothing is there and the folder may be
 * made later.
 */
export function existingFolder(path: string, { mayBeMissing = false } = {}): string {
  // A relative path would count from the folder in which the server was started.
  if (!isAbsolute(path)) throw invalidParam('cwd', `The folder must be an absolute path; ${path} is not.`)
  const folder = resolve(path)
  const problem = problemWith(folder)
  if (problem === null || (mayBeMissing && problem === missing)) return folder
  throw rejection('cwdMissing', `The folder ${folder} ${problem}.`, { cwd: folder })
}

const missing = 'does not exist'

/** Returns the rest of "The folder …"; null for a folder that can be entered. */
function problemWith(path: string): string | null {
  try {
    if (!statSync(path).isDirectory()) return 'is a file, not a folder'
    accessSync(path, constants.X_OK)
    return null
  } catch (error) {
    return isMissing(error) ? missing : `cannot be entered (${errorCode(error) ?? 'unknown'})`
  }
}
