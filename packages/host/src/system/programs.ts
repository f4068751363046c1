import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, join, normalize } from 'node:path'
import { isWithin } from './real-path.ts'

/** PATH for the small tools that are run here (`mkfifo`, `grep`): the user's PATH may lead into a project. */
export const helperPath = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin'

export interface FoundProgram {
  /** Real path, so that a link changed later leads nowhere else. */
  readonly path: string
  readonly modifiedMs: number
  readonly sizeBytes: number
}

/** Folders that only package managers write to. Other folders of PATH, such as `/opt`, may belong to a project. */
const trusted = [
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/nix/store',
  '/gnu/store',
  '/run/current-system',
]

const systemFolders = [...helperPath.split(':'), '/usr/local/bin']

/** Returns the folders to find a sandbox's programs in: the system's own, then the trusted ones of PATH. */
export function programFolders(path: string): string[] {
  const others = path.split(delimiter).filter((folder) => trusted.some((top) => isWithin(normalize(folder), top)))
  return [...new Set([...systemFolders, ...others])]
}

/**
 * Returns the first executable with this name, links followed; null without one. Files that anyone may change do not
 * count.
 */
export function findProgram(name: string, folders: readonly string[]): FoundProgram | null {
  for (const folder of folders) {
    const found = examine(join(folder, name))
    if (found !== null) return found
  }
  return null
}

function examine(path: string): FoundProgram | null {
  try {
    const real = realpathSync(path)
    const { mtimeMs, size, mode } = statSync(real)
    const isChangeable = (mode & 0o002) !== 0
    if (size === 0 || isChangeable) return null
    accessSync(real, constants.X_OK)
    return { path: real, modifiedMs: mtimeMs, sizeBytes: size }
  } catch {
    return null
  }
}

/** Returns the prefix that makes a program's terminal its controlling one; null without `setsid`. */
export function findSetsid(): readonly string[] | null {
  const program = ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path))
  return program === undefined ? null : [program, '-c']
}

/**
 * First words of a command in this process's own Node. SIGUSR1 opens no debugger there: any user of the machine could
 * run code through it as this user.
 */
export const ownNode = [process.execPath, '--disable-sigusr1'] as const
