import { type EnvironmentFiles, whenUnknown } from '@parley/workspace'
/** The folders as given and with links followed: a real path only ever lies in the latter, a written one in either. */
export async function realRoots(roots: readonly string[], files: EnvironmentFiles): Promise<string[]> {
  const real = await Promise.all(roots.map((root) => files.realPath(root).catch(whenUnknown(root))))
  return [...new Set([...roots, ...real])]
}
