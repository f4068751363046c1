import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileList, listingArguments, newListing } from '@parley/text'
import { startProgram } from '../terminal/start-program.ts'

/** Files listed at most. */
const maxFiles = 200_000
/** Time after which the files found so far have to do. */
const limitMs = 20_000
/** Shortest time between two lists of a listing under way. */
const shownEveryMs = 100

export interface FileSearch {
  /** Program and arguments that print paths, each ending in a NUL. */
  readonly command: readonly [string, ...string[]]
  readonly folder: string
  readonly onFiles: (files: FileList) => void
}

/**
 * Returns the command that lists files which git does not ignore. Ripgrep runs no program that a repository's settings
 * name, as git may; that of the bundle lies beside the program.
 */
export function listingCommand(moduleUrl: string): readonly [string, ...string[]] {
  const bundled = join(dirname(fileURLToPath(moduleUrl)), 'rg')
  const program = existsSync(bundled) ? bundled : 'rg'
  return [program, ...listingArguments]
}

/** Lists the files of a folder and hands over lists that grow. Resolves after the last, which is whole. */
export function listFiles({ command, folder, onFiles }: FileSearch): Promise<void> {
  const listing = newListing(folder)
  const { promise, resolve } = Promise.withResolvers<void>()
  // Without the program there is nothing to complete, and a message needs no list.
  const child = startProgram(command, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] }, () => finish())
  const timer = setTimeout(() => child?.kill(), limitMs)
  let shownAtMs = performance.now()
  child?.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (listing.take(text) >= maxFiles) child?.kill()
    if (performance.now() - shownAtMs < shownEveryMs) return
    shownAtMs = performance.now()
    onFiles(listing.list(false))
  })
  let isOver = false
  const finish = () => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    onFiles(listing.list(true))
    resolve()
  }
  child?.on('close', finish)
  return promise
}
