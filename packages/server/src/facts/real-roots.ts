import { realPathOf } from '../lookup/real-path.ts'

/** The folders as given and with links followed: a real path only ever lies in the latter, a written one in either. */
export async function realRoots(roots: readonly string[]): Promise<string[]> {
  const real = await Promise.all(roots.map((root) => realPathOf(root).catch(() => root)))
  return [...new Set([...roots, ...real])]
}
