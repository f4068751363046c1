import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileList, newListing } from '../ui/complete/file-list.ts'

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
  return [program, '--no-config', '--files', '--hidden', '--no-messages', '--no-require-git', '-0', '--glob=!.git']
}

/** Lists the files of a folder and hands over lists that grow. Resolves after the last, which is whole. */
export function listFiles({ command: [program, ...args], folder, onFiles }: FileSearch): Promise<void> {
  const listing = newListing(folder)
  const { promise, resolve } = Promise.withResolvers<void>()
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const timer = setTimeout(() => child.kill(), limitMs)
  let rest = ''
  let count = 0
  let shownAtMs = performance.now()
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    const paths = (rest + text).split('\0')
    rest = paths.pop() ?? ''
    count += paths.length
    listing.add(paths.filter(isPlain))
    if (count >= maxFiles) child.kill()
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
  // Without the program there is nothing to complete, and a message needs no list.
  child.on('error', finish)
  child.on('close', finish)
  return promise
}

/** Returns false for a name that would be another one in the text. */
function isPlain(path: string): boolean {
  return !/[\x00-\x1f\x7f-\x9f"]/.test(path)
}
