import { posix } from 'node:path'
import { createGit, isProblem, problemText, textOf } from './safe-git.ts'

/** Work tree of a repository, as seen from one of its folders. */
export interface WorkTree {
  readonly top: string
  /** Path of the folder from the top of its own repository; empty for the top itself. */
  readonly below: string
  /** Path of the work tree of a submodule from there; empty for the folder's own work tree. */
  readonly at: string
}

/** Finds the work tree of a folder, or returns a problem. */
export async function findWorkTree(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<WorkTree | { readonly problem: string }> {
  const git = createGit(folder, env)
  const inside = await git(['rev-parse', '--is-inside-work-tree'])
  if (isProblem(inside)) return { problem: problemText(inside, folder) }
  const elsewhere = { problem: `${folder} is not in the work tree of its repository.` }
  if (textOf(inside).trim() !== 'true') return elsewhere
  const [top, below] = await Promise.all([git(['rev-parse', '--show-toplevel']), git(['rev-parse', '--show-prefix'])])
  const found = { top: withoutEnd(textOf(top)), below: withoutEnd(textOf(below)).replace(/\/$/, ''), at: '' }
  // A repository may name a folder above itself as its work tree, with files that are not its own.
  const identity = ['rev-parse', '--show-toplevel', '--absolute-git-dir']
  const [here, there] = await Promise.all([git(identity), createGit(found.top, env)(identity)])
  return isProblem(there) || textOf(here) !== textOf(there) ? elsewhere : found
}

function withoutEnd(line: string): string {
  return line.replace(/\n$/, '')
}

/** Converts a path from the top of a work tree to a path from the folder. */
export function pathFromFolder({ below, at }: Pick<WorkTree, 'below' | 'at'>, name: string): string {
  const path = posix.relative(`/${below}`, `/${posix.join(at, name)}`)
  return name.endsWith('/') ? `${path}/` : path
}

/**
 * Converts a path from the folder to a path from the top of its work tree. If no changed file has that path, the path may
 * already be from the top.
 */
export function pathFromTop({ top, below }: WorkTree, path: string, changed: ReadonlySet<string> = new Set()): string {
  const own = posix.isAbsolute(path) ? posix.relative(top, path) : posix.join(below, path)
  return !changed.has(own) && changed.has(posix.normalize(path)) ? posix.normalize(path) : own
}
