import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileList, listingArguments, newListing } from '@parley/text'
import { startProgram } from '../processes/start-program.ts'

const maxFiles = 200_000
/** Time limit; then the files found so far are used. */
const limitMs = 20_000
/** Least time between two lists of a running listing. */
const shownEveryMs = 100

export interface FileSearch {
  /** Program and arguments that print paths, each ending in a NUL. */
  readonly command: readonly [string, ...string[]]
  readonly folder: string
  readonly onFiles: (files: FileList) => void
}

/**
 * Returns the command that lists the files that git does not ignore. Uses ripgrep beside the program: git may run
 * programs that a repository's settings name.
 */
export function listingCommand(moduleUrl: string): readonly [string, ...string[]] {
  const bundled = join(dirname(fileURLToPath(moduleUrl)), 'rg')
  const program = existsSync(bundled) ? bundled : 'rg'
  return [program, ...listingArguments]
}

/** Lists the files of a folder, and passes on growing lists. Resolves after the last and complete one. */
export function listFiles({ command, folder, onFiles }: FileSearch): Promise<void> {
  const listing = newListing(folder)
  const { promise, resolve } = Promise.withResolvers<void>()
  // Without the program nothing is completed, and a message needs no list.
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
