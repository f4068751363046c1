import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { realPathOf } from '../lookup/real-path.ts'
import { liesWithin } from '../lookup/workspace-path.ts'

export interface FoundProgram {
  readonly path: string | null
  readonly insideRoots: boolean
}

export interface ProgramQuestion {
  /** `argv[0]` as written. */
  readonly name: string
  /** The PATH the command will get. */
  readonly searchPath: string
  readonly cwd: string
  /** Real paths of the writable folders. */
  readonly roots: readonly string[]
}

export const nowhere: FoundProgram = { path: null, insideRoots: false }

/**
 * Where a program name leads. A relative or empty entry of the search path ends the search: what lies behind it
 * depends on the folder the command happens to be in.
 */
export async function findProgram({ name, searchPath, cwd, roots }: ProgramQuestion): Promise<FoundProgram> {
  if (name === '' || name.includes('\0')) return nowhere
  if (name.includes('/')) return located(resolve(cwd, name), roots)
  const folders = searchPath.split(':')
  const relative = folders.findIndex((folder) => !isAbsolute(folder))
  const candidates = folders.slice(0, relative < 0 ? undefined : relative).map((folder) => join(folder, name))
  const found = await Promise.all(candidates.map(isProgram))
  const first = candidates[found.indexOf(true)]
  return first === undefined ? nowhere : located(first, roots)
}

async function located(path: string, roots: readonly string[]): Promise<FoundProgram> {
  const real = await realPathOf(path).catch(() => path)
  return { path, insideRoots: roots.some((root) => liesWithin(real, root) || liesWithin(path, root)) }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
