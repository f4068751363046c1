import { type GuardKind, guardByName, guardKinds } from '@parley/host'
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
  const said: readonly unknown[] = await kindsThere(link, paths, roots)
  return paths.map((path, index) => byName(path) ?? understood(said[index]))
}

async function kindsThere(link: Pick<Link, 'ask'>, paths: readonly string[], roots: readonly string[]) {
  try {
    return (await link.ask('fs/guards', { paths: [...paths], writableRoots: [...roots] })).kinds
  } catch (error) {
    if (error instanceof RpcError) return []
    throw error
  }
}

function understood(said: unknown): GuardKind | null {
  return said === null ? null : (guardKinds.find((kind) => kind === said) ?? 'unknown')
}
