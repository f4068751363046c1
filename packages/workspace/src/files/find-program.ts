import { isAbsolute, join, resolve } from 'node:path'
import type { EnvironmentFiles } from './environment-files.ts'
import { whenUnknown } from './errors.ts'
import { liesWithin } from './real-path.ts'

export interface FoundProgram {
  readonly path: string | null
  /** Real path of `path`, when links lead elsewhere. */
  readonly real?: string
  /** True when the file or its real path lies in a writable folder. */
  readonly insideRoots: boolean
}

export interface ProgramRequest {
  /** First word of the command as written. */
  readonly name: string
  readonly searchPath: string
  readonly cwd: string
  /** Real paths of the writable folders. */
  readonly roots: readonly string[]
  /** Files of the machine that would run the program. */
  readonly files: EnvironmentFiles
}

export const programNotFound: FoundProgram = { path: null, insideRoots: false }

/**
 * Finds the program that a name in a command starts.
 *
 * A relative or empty entry of the search path ends the search with `insideRoots: true`: its meaning depends on the
 * command's folder and may be a file of the workspace.
 */
export async function findProgram(request: ProgramRequest): Promise<FoundProgram> {
  const { name, searchPath, cwd, files } = request
  if (name === '' || name.includes('\0')) return programNotFound
  if (name.includes('/')) return located(resolve(cwd, name), request)
  const folders = searchPath.split(':')
  const relative = folders.findIndex((folder) => !isAbsolute(folder))
  const candidates = folders.slice(0, relative < 0 ? undefined : relative).map((folder) => join(folder, name))
  const found = await Promise.all(candidates.map((path) => files.isProgram(path)))
  const first = candidates[found.indexOf(true)]
  if (first !== undefined) return located(first, request)
  return relative < 0 ? programNotFound : { path: null, insideRoots: true }
}

async function located(path: string, { roots, files }: ProgramRequest): Promise<FoundProgram> {
  const real = await files.realPath(path).catch(whenUnknown(path))
  const insideRoots = roots.some((root) => liesWithin(real, root) || liesWithin(path, root))
  return { path, ...(real === path ? {} : { real }), insideRoots }
}
