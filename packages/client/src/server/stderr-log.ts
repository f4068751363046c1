import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A larger log is emptied first. */
const maxBytes = 1 << 20
const shownBytes = 4096

export interface StderrLog {
  readonly path: string
  /** Open file for the child process; the caller closes it. */
  readonly descriptor: number
  /** Returns the end of the text written since opening, at most 4 KiB. */
  newText(): string
}

/** Opens the file for a server's stderr. Returns null if it cannot be written: a server starts without it. */
export function openStderrLog(home: string): StderrLog | null {
  const folder = join(home, 'logs')
  const path = join(folder, 'server.stderr.log')
  try {
    makeFolders(folder)
    const { descriptor, sizeBytes } = openForAppending(path)
    return { path, descriptor, newText: () => readFrom(path, sizeBytes) }
  } catch {
    return null
  }
}

function openForAppending(path: string): { descriptor: number; sizeBytes: number } {
  const descriptor = openSync(path, 'a', 0o600)
  const sizeBytes = fstatSync(descriptor).size
  if (sizeBytes <= maxBytes) return { descriptor, sizeBytes }
  closeSync(descriptor)
  closeSync(openSync(path, 'w', 0o600))
  return { descriptor: openSync(path, 'a', 0o600), sizeBytes: 0 }
}

function readFrom(path: string, startBytes: number): string {
  try {
    const descriptor = openSync(path, 'r')
    const from = Math.max(startBytes, fstatSync(descriptor).size - shownBytes)
    const bytes = Buffer.alloc(shownBytes)
    const length = readSync(descriptor, bytes, 0, shownBytes, from)
    closeSync(descriptor)
    return bytes.toString('utf8', 0, length)
  } catch {
    return ''
  }
}

/**
 * Creates the missing folders of `path` with mode 0700. Goes level by level: Node's `recursive` loops for ever where a
 * parent exists and answers ENOENT, as /proc does.
 */
export function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return
  const parent = dirname(path)
  if (parent !== path) makeFolders(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process has just created it.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
}
