import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Content of a path, in a form that can be compared: kind, mode, and the bytes of a file. */
export function lookAt(path: string): string {
  try {
    const stats = lstatSync(path)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
    if (stats.isDirectory()) return `folder ${mode}: ${readdirSync(path).sort().join(' ')}`
    return `file ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return 'nothing'
    throw error
  }
}

/** On a disk that tells names apart by case, whether one that differs by nothing else is there. */
export function existsInAnyCase(path: string): boolean {
  const wanted = basename(path).toLowerCase()
  try {
    return readdirSync(dirname(path)).some((name) => name.toLowerCase() === wanted)
  } catch {
    return false
  }
}

/** Processes whose working folder is below a path, wherever their own root is. */
export function processesBelow(folder: string): readonly string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readlinkSync(join('/proc', pid, 'cwd')).startsWith(folder)
    } catch {
      return false
    }
  })
}

export const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8).padStart(4, '0')
