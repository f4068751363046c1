import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileContents, LocalCopy } from '@parley/engine/shared-store'

const noContents: FileContents = { namedIn: () => ({ hashes: [], lists: [] }), listedIn: () => [], read: () => null }

/** Returns the paths of a copy that a server has in its folder. */
export function copyIn(folder: string, node: string, conversationId: string): LocalCopy {
  const stem = join(folder, node, conversationId)
  mkdirSync(dirname(stem), { recursive: true })
  return {
    conversationId,
    log: `${stem}.jsonl`,
    sideFiles: `${stem}.files`,
    acked: `${stem}.acked`,
    contents: noContents,
  }
}
