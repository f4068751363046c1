import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes what is missing of `path`, for this user alone. One folder after the other, since Node's `recursive` goes on
 * for ever where the parent is there and answers ENOENT, as `/proc` does.
 */
export function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return
  const parent = dirname(path)
  if (parent !== path) makeFolders(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process made it between the look and now.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
}
