import { decodeLine } from '@parley/journal'
import type { FileContents } from '@parley/store'
import { isRecord } from '@parley/text'
import { openContentStore } from '@parley/workspace'

const LF = 0x0a
const named = Buffer.from('"files.changed"')
const hashText = /^[0-9a-f]{64}$/

/** Returns the contents in a folder that lines of logs name: what files had before calls changed them, by which one goes back. */
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
    listedIn: (sideFile) => hashesOf(JSON.parse(Buffer.from(sideFile).toString())),
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

/** Returns what changed files had before. What they had after lies in the folder, or came before another change. */
function hashesOf(files: unknown): string[] {
  if (!Array.isArray(files)) return []
  return files.flatMap((file: unknown) => {
    const before = isRecord(file) ? file['before'] : null
    const hash = isRecord(before) ? before['hash'] : null
    return typeof hash === 'string' && hashText.test(hash) ? [hash] : []
  })
}
