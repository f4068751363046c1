import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { refusal } from './refusal.ts'

/** Of another machine only the machine knows. */
export function assertAdded(folders: readonly string[]): void {
  const missing = folders.find((folder) => !isFolder(folder))
  if (missing === undefined) return
  throw refusal('configInvalid', `The added folder ${missing} does not exist.`, { where: 'addDirs' })
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

export function existingFolder(path: string): string {
  const folder = resolve(path)
  if (isFolder(folder)) return folder
  throw refusal('cwdMissing', `The folder ${folder} does not exist.`, { cwd: folder })
}
