import { isAbsolute, join, resolve } from 'node:path'
import type { PlaceFiles } from './environment-files.ts'
import { whenUnknown } from './errors.ts'
import { liesWithin } from './workspace-path.ts'

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
  /** Of the machine that would run it. */
  readonly files: PlaceFiles
}

export const nowhere: FoundProgram = { path: null, insideRoots: false }

/**
 * Where a program name leads. A relative or empty entry of the search path ends the search: what lies behind it
 * depends on the folder the command happens to be in, and may be a file of the workspace.
 */
export async function findProgram(question: ProgramQuestion): Promise<FoundProgram> {
  const { name, searchPath, cwd, files } = question
  if (name === '' || name.includes('\0')) return nowhere
  if (name.includes('/')) return located(resolve(cwd, name), question)
  const folders = searchPath.split(':')
  const relative = folders.findIndex((folder) => !isAbsolute(folder))
  const candidates = folders.slice(0, relative < 0 ? undefined : relative).map((folder) => join(folder, name))
  const found = await Promise.all(candidates.map((path) => files.isProgram(path)))
  const first = candidates[found.indexOf(true)]
  if (first !== undefined) return located(first, question)
  return relative < 0 ? nowhere : { path: null, insideRoots: true }
}

async function located(path: string, { roots, files }: ProgramQuestion): Promise<FoundProgram> {
  const real = await files.realPath(path).catch(whenUnknown(path))
  return { path, insideRoots: roots.some((root) => liesWithin(real, root) || liesWithin(path, root)) }
}
