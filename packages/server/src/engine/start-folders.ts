import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { rejection } from './refusal.ts'

/** Of another machine only the machine knows. */
export function assertAdded(folders: readonly string[]): void {
  for (const folder of folders) {
    const problem = problemWith(folder)
    if (problem !== null)
      throw rejection('configInvalid', `The added folder ${folder} ${problem}.`, { where: 'addDirs' })
  }
}

/** A folder to work in, made absolute. Throws `cwdMissing` for what cannot be one. */
export function existingFolder(path: string): string {
  const folder = resolve(path)
  const problem = problemWith(folder)
  if (problem === null) return folder
  throw rejection('cwdMissing', `The folder ${folder} ${problem}.`, { cwd: folder })
}

/** The rest of "The folder …"; null for a folder that can be entered. */
function problemWith(path: string): string | null {
  try {
    if (!statSync(path).isDirectory()) return 'is a file, not a folder'
    accessSync(path, constants.X_OK)
    return null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown'
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
    return `cannot be entered (${code})`
  }
}
