import { type GuardKind, guardByName } from '@parley/host'
import { RpcError } from '@parley/rpc'
import type { Link } from './link.ts'

interface Question {
  readonly paths: readonly string[]
  readonly roots: readonly string[]
  /** The user's home there. */
  readonly home: string
}

/**
 * Asks the exec-server what stays as it is on its machine. What is guarded by name is known here; one that does not
 * answer such questions cannot tell of the rest.
 */
export async function guardThere(
  link: Pick<Link, 'ask'>,
  { paths, roots, home }: Question,
): Promise<readonly (GuardKind | null)[]> {
  const byName = guardByName(roots, home)
  const said = await saidThere(link, paths, roots)
  return paths.map((path, index) => byName(path) ?? (said === null ? 'unknown' : (said[index] ?? null)))
}

async function saidThere(link: Pick<Link, 'ask'>, paths: readonly string[], roots: readonly string[]) {
  try {
    return (await link.ask('fs/guards', { paths: [...paths], writableRoots: [...roots] })).kinds
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}
