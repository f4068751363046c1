import { stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createMark, isOwnerAlive, parseMark } from '@parley/host'
import { diskPatchFiles, succeeds } from '@parley/workspace'

const prefix = '.parley-'
/** An owner in another container, or on another machine that shares the folder, looks dead from here. */
const youngMs = 60_000
const lookAgainMs = 60_000
const rememberedFolders = 1000

/** A name for what is written beside a file, of any length, and then takes its place. It tells whose it is. */
export function freshName(): string {
  return `${prefix}${createMark()}`
}

/** Removes, now and then, what a killed exec-server left in a folder. */
export function createStrayRemover(): (folder: string) => Promise<void> {
  const lookedAtMs = new Map<string, number>()
  return async (folder) => {
    const nowMs = performance.now()
    if (nowMs - (lookedAtMs.get(folder) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return
    if (lookedAtMs.size >= rememberedFolders) lookedAtMs.clear()
    lookedAtMs.set(folder, nowMs)
    for (const name of await diskPatchFiles.list(folder)) {
      const path = join(folder, name)
      if (isOwnerless(name) && (await isOld(path))) await succeeds(() => unlink(path))
    }
  }
}

function isOwnerless(name: string): boolean {
  const owner = name.startsWith(prefix) ? parseMark(name.slice(prefix.length)) : null
  return owner !== null && !isOwnerAlive(owner)
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true && Date.now() - found.mtimeMs > youngMs
}
