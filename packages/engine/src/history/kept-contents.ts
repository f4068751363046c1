import { decodeLine } from '@parley/journal'
import { isRecord, parseJson } from '@parley/text'
import { type ContentStore, openContentStore } from '@parley/workspace'
import type { FileContents } from '../ports/shared-store.ts'

const LF = 0x0a
const named = Buffer.from('"files.changed"')
const hashText = /^[0-9a-f]{64}$/

/**
 * Returns the contents in a folder that lines of logs name: the earlier contents of changed files, to which one goes
 * back.
 */
export function keptContents(folder: string): FileContents {
  const { read } = openContentStore(folder)
  return {
    namedIn(lines) {
      const events = eventsIn(lines)
      return {
        hashes: events.flatMap(({ files }) => hashesOf(files)),
        lists: events.flatMap(({ list }) => (typeof list === 'string' ? [list.replace(':', '-')] : [])),
      }
    },
    // A damaged list must not keep a conversation from being deleted.
    listedIn: (sideFile) => hashesOf(parseJson(Buffer.from(sideFile).toString())),
    read,
  }
}

/** Returns the events of lines that say which files changed; other lines are not parsed. */
function eventsIn(lines: Buffer): Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = []
  for (let at = lines.indexOf(named); at !== -1; ) {
    const from = lines.lastIndexOf(LF, at) + 1
    const end = lines.indexOf(LF, at)
    const to = end === -1 ? lines.length : end
    const event = decodeLine(lines.toString('utf8', from, to))?.event
    if (event?.type === 'files.changed') found.push(event)
    at = lines.indexOf(named, to)
  }
  return found
}

/** Returns the earlier contents of changed files. The later ones lie in the folder, or came before another change. */
function hashesOf(files: unknown): string[] {
  if (!Array.isArray(files)) return []
  return files.flatMap((file: unknown) => {
    const before = isRecord(file) ? file['before'] : null
    const hash = isRecord(before) ? before['hash'] : null
    return typeof hash === 'string' && hashText.test(hash) ? [hash] : []
  })
}

/** Contents that are fetched at once. */
const lanes = 8

/** Fetches contents that are not kept here, as far as they are to be had. */
export async function bringContents(
  hashes: ReadonlySet<string>,
  store: ContentStore,
  fetch: (hash: string) => Promise<Uint8Array | null>,
): Promise<void> {
  const left = hashes.values()
  const lane = async () => {
    for (const hash of left) {
      const content = store.read(hash) === null ? await fetch(hash) : null
      if (content !== null) store.keep(hash, content)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
