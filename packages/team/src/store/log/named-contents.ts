import { createHash } from 'node:crypto'
import type { FileContents } from '@parley/engine/shared-store'
import type { LogMessage } from './log-subject.ts'
import type { Objects } from './objects.ts'

/** Returns the name of the object with a content that a file had. */
export function contentName(hash: string): string {
  return `content-${hash}`
}

/** Resolves to the hashes of all contents that lines and their side files name; `sideFile` reads a side file. */
export async function namedContents(
  contents: FileContents,
  lines: Buffer,
  sideFile: (name: string) => Promise<Uint8Array | null>,
): Promise<ReadonlySet<string>> {
  const { hashes, lists } = contents.namedIn(lines)
  const found = new Set(hashes)
  for (const name of lists) {
    const list = await sideFile(name)
    if (list !== null) for (const hash of contents.listedIn(list)) found.add(hash)
  }
  return found
}

/** Tests if content has the hash that its name ends with. */
export function isNamedBy(name: string, content: Uint8Array): boolean {
  return name.endsWith(createHash('sha256').update(content).digest('hex'))
}

/** Names that a header of a message holds: all headers together have 64 KiB at most. */
const mostNames = 800

const listName = 'names-'

/** Adds an object with the names of side files where a header does not hold them. Returns the text of the header. */
export function headerOf(names: readonly string[], objects: Map<string, Uint8Array>): readonly string[] {
  if (names.length <= mostNames) return names
  const list = Buffer.from(names.join(','))
  const name = `${listName}${createHash('sha256').update(list).digest('hex')}`
  objects.set(name, list)
  return [name]
}

/**
 * Resolves to the names of the side files that the lines of a message name; empty where the object with the names is
 * gone.
 */
export async function sideFilesOf(
  { files }: Pick<LogMessage, 'files'>,
  objects: Pick<Objects, 'get'>,
): Promise<readonly string[]> {
  const [list] = files
  if (list?.startsWith(listName) !== true) return files
  const names = await objects.get(list)
  return names === null ? [] : Buffer.from(names).toString().split(',')
}
