import { createHash } from 'node:crypto'
import type { FileContents } from '../port/shared-store.ts'

/** Returns the name of the object with a content that a file had. */
export function contentName(hash: string): string {
  return `content-${hash}`
}

/** Resolves to the hashes of all contents that lines name, those in side files included; `sideFile` reads one of these. */
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
