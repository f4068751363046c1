import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from './make-folders.ts'

/** Beyond this the log is begun anew. */
const maxBytes = 1 << 20
const shownBytes = 4096

export interface StderrLog {
  readonly path: string
  /** For the child; the caller closes it. */
  readonly descriptor: number
  /** The end of what was written since it was opened. */
  newText(): string
}

/** Where a server's stderr goes. Null when it cannot be written: that must not keep the server from starting. */
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
