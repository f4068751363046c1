import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '@parley/workspace'

/** What sandboxed commands of one conversation see as /tmp: caches and scripts survive from one command to the next. */
export interface Scratch {
  /** Its folder, made when it is first needed. What has grown too large is emptied here, unless something runs in it. */
  ready(): Promise<string>
  /** Counts what is in it, in the background: the next `ready` knows. */
  measure(): void
  /** Takes it away. Nothing may run in it any more. */
  remove(): Promise<void>
}

interface ScratchParts {
  readonly folder: string
  /** A command in the background still uses it. */
  readonly isInUse: () => boolean
  readonly onEmptied: () => void
  /** Of what is in it; 1 GiB unless told. */
  readonly maxBytes?: number
}

const usualMaxBytes = 1024 ** 3
/** So many files take as long to count as they are worth. */
const maxEntries = 100_000

export function createScratch({ folder, isInUse, onEmptied, maxBytes = usualMaxBytes }: ScratchParts): Scratch {
  let made = false
  let isTooLarge = false
  let measuring: Promise<void> | null = null

  /** What lies there from before is of a session that crashed. */
  async function make(): Promise<void> {
    await removeTree(folder)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    made = true
    isTooLarge = false
  }

  return {
    async ready() {
      await measuring
      if (isTooLarge && !isInUse()) {
        await make()
        onEmptied()
      }
      if (!made || !isFolder(folder)) await make()
      return folder
    },
    measure() {
      if (!made || measuring !== null) return
      measuring = exceeds(folder, { bytes: maxBytes, entries: maxEntries })
        .then((exceeded) => {
          isTooLarge = exceeded
        })
        .finally(() => {
          measuring = null
        })
    },
    async remove() {
      await measuring
      if (made) await removeTree(folder)
      made = false
    },
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

interface Left {
  bytes: number
  entries: number
}

/** Follows no link. What cannot be looked at counts as nothing. */
async function exceeds(folder: string, left: Left): Promise<boolean> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name)
      left.entries -= 1
      left.bytes -= entry.isFile() ? (await lstat(path)).blocks * 512 : 0
      if (left.bytes < 0 || left.entries < 0) return true
      if (entry.isDirectory() && (await exceeds(path, left))) return true
    }
  } catch {
    return false
  }
  return false
}
