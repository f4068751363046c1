import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, join, normalize } from 'node:path'
import { isWithin } from './paths.ts'

/** Where our own small tools (`mkfifo`, `grep`) come from: never from the user's PATH, which a project can lead into itself. */
export const helperPath = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin'

export interface FoundProgram {
  /** Real, so that a link changed later leads nowhere else. */
  readonly path: string
  readonly modifiedMs: number
  readonly sizeBytes: number
}

/** Where only the system's package managers put programs. Other entries of PATH, in `/opt` or `/usr/src` too, may be a project's. */
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

/** Folders in which the programs of a sandbox are looked for: the system's own, then those of PATH that a project cannot be. */
export function programFolders(path: string): string[] {
  const others = path.split(delimiter).filter((folder) => trusted.some((top) => isWithin(normalize(folder), top)))
  return [...new Set([...systemFolders, ...others])]
}

/** The first that can be run, wherever a link leads as long as a project cannot be there. */
export function findProgram(name: string, folders: readonly string[]): FoundProgram | null {
  for (const folder of folders) {
    const found = lookAt(join(folder, name))
    if (found !== null) return found
  }
  return null
}

function lookAt(path: string): FoundProgram | null {
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

/** What starts a program as the owner of its terminal, before its arguments; null where there is none. */
export function findSetsid(): readonly string[] | null {
  const program = ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path))
  return program === undefined ? null : [program, '-c']
}
