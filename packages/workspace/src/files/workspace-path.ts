import { resolve, sep } from 'node:path'
import type { PlaceFiles } from './environment-files.ts'
import { systemErrorReason } from './errors.ts'

export interface WorkspacePath {
  readonly absolute: string
  /** The path with every link followed: the one to judge and the one to open. */
  readonly real: string
  readonly insideRoots: boolean
  /** The first given root that holds `real`, as it was given. */
  readonly root: string | null
}

export type WorkspacePathOutcome =
  | { readonly ok: true; readonly path: WorkspacePath }
  | { readonly ok: false; readonly message: string }

export interface PathQuestion {
  /** As the model wrote it; `~` is an ordinary character. */
  readonly path: string
  readonly cwd: string
  readonly roots: readonly string[]
  readonly files: PlaceFiles
}

/** Tells where a path given by the model really leads. Roots are compared by their own real paths. */
export async function resolveWorkspacePath({ path, cwd, roots, files }: PathQuestion): Promise<WorkspacePathOutcome> {
  const complaint = pathComplaint(path)
  if (complaint !== null) return { ok: false, message: complaint }
  const absolute = resolve(cwd, path)
  try {
    const real = await files.realPath(absolute)
    const root = await rootHolding(real, roots, files)
    return { ok: true, path: { absolute, real, insideRoots: root !== null, root } }
  } catch (error) {
    return { ok: false, message: `The path ${path} cannot be resolved: ${systemErrorReason(error)}.` }
  }
}

/** Why a text cannot be a path at all, or null. */
export function pathComplaint(path: string): string | null {
  if (path === '') return 'The path is empty.'
  if (path.includes('\0')) return 'The path contains a NUL character.'
  return null
}

/** Compares component by component: `/work-2` does not lie in `/work`. A path lies in itself. */
export function liesWithin(path: string, folder: string): boolean {
  const outer = components(folder)
  const inner = components(path)
  return outer.length <= inner.length && outer.every((name, index) => name === inner[index])
}

function components(path: string): string[] {
  return path.split(sep).filter((name) => name !== '')
}

async function rootHolding(real: string, roots: readonly string[], files: PlaceFiles): Promise<string | null> {
  for (const root of roots) {
    if (liesWithin(real, await files.realPath(resolve(root)))) return root
  }
  return null
}
