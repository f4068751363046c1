import { lstatSync } from 'node:fs'
import { type FoundRepositories, findRepositories } from './find-repositories.ts'

interface Known {
  readonly found: FoundRepositories
  readonly atMs: number
}

const freshMs = 10_000
const maxKnown = 16

const known = new Map<string, Known>()
const searches = new Map<string, Promise<Known>>()

/**
 * The repositories below a folder. A search takes too long to wait for it before each command, so an older one serves
 * while the next is made; but not once something of it has gone, which may then have another name.
 */
export async function knownRepositories(root: string): Promise<FoundRepositories> {
  const last = known.get(root)
  if (last === undefined || ![...last.found.entries, ...last.found.bare].every(isThere))
    return (await search(root)).found
  if (performance.now() - last.atMs > freshMs) void search(root).catch(() => undefined)
  return last.found
}

function search(root: string): Promise<Known> {
  const running = searches.get(root) ?? begin(root).finally(() => searches.delete(root))
  searches.set(root, running)
  return running
}

async function begin(root: string): Promise<Known> {
  const result = { found: await findRepositories(root), atMs: performance.now() }
  known.delete(root)
  known.set(root, result)
  for (const oldest of known.keys()) if (known.size > maxKnown) known.delete(oldest)
  return result
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
