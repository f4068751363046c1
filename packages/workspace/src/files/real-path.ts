import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { errorCode, isMissing } from '@parley/text'
import type { EnvironmentFiles } from './environment-files.ts'
import { systemErrorReason } from './errors.ts'

const maxLinkHops = 40

/**
 * Resolves the path that a read of or a write to `absolute` would reach, through dangling links too. Appends the
 * missing rest. Throws the system's error for a loop or a folder that may not be searched.
 */
export async function realPathOf(absolute: string, hops = 0): Promise<string> {
  const existing = await existingRealPath(absolute)
  if (existing !== null) return existing
  const parent = dirname(absolute)
  if (parent === absolute) return absolute
  const target = hops < maxLinkHops ? await linkTarget(absolute) : null
  if (target !== null) return realPathOf(resolve(await realPathOf(parent, hops), target), hops + 1)
  return join(await realPathOf(parent, hops), basename(absolute))
}

async function existingRealPath(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Reads the target of a link as written; null when `path` is no link. */
async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch (error) {
    if (isMissing(error) || errorCode(error) === 'EINVAL') return null
    throw error
  }
}

interface WorkspacePath {
  readonly absolute: string
  /** Path with all links followed; policy checks this path and the tool opens it. */
  readonly real: string
  readonly insideRoots: boolean
  /** First root that contains `real`, as passed in `roots`. */
  readonly root: string | null
}

type WorkspacePathOutcome =
  | { readonly ok: true; readonly path: WorkspacePath }
  | { readonly ok: false; readonly message: string }

interface PathRequest {
  /** Path as the model wrote it; `~` is an ordinary character. */
  readonly path: string
  readonly cwd: string
  readonly roots: readonly string[]
  readonly files: EnvironmentFiles
}

/** Resolves a path from the model and finds the root that contains it. Roots are compared by their real paths. */
export async function resolveWorkspacePath({ path, cwd, roots, files }: PathRequest): Promise<WorkspacePathOutcome> {
  const problem = pathProblem(path)
  if (problem !== null) return { ok: false, message: problem }
  const absolute = resolve(cwd, path)
  try {
    const real = await files.realPath(absolute)
    const root = await rootContaining(real, roots, files)
    return { ok: true, path: { absolute, real, insideRoots: root !== null, root } }
  } catch (error) {
    return { ok: false, message: `The path ${path} cannot be resolved: ${systemErrorReason(error)}.` }
  }
}

/** Returns a sentence when a text cannot be a path; null otherwise. */
export function pathProblem(path: string): string | null {
  if (path === '') return 'The path is empty.'
  if (path.includes('\0')) return 'The path contains a NUL character.'
  return null
}

/** Returns true when `path` is `folder` or below it, compared by component: `/work-2` is not below `/work`. */
export function liesWithin(path: string, folder: string): boolean {
  const outer = components(folder)
  const inner = components(path)
  return outer.length <= inner.length && outer.every((name, index) => name === inner[index])
}

function components(path: string): string[] {
  return path.split(sep).filter((name) => name !== '')
}

async function rootContaining(real: string, roots: readonly string[], files: EnvironmentFiles): Promise<string | null> {
  for (const root of roots) {
    if (liesWithin(real, await files.realPath(resolve(root)))) return root
  }
  return null
}
