import { createHash } from 'node:crypto'
import { closeSync, fchmodSync, mkdirSync, realpathSync, statSync, writeSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { openUnlocked } from '@parley/host'
import { liesWithin, systemErrorReason } from '@parley/workspace'
import type { ProgramFile } from './project-programs.ts'
import { visitPlainFile } from './read-project-files.ts'

const hashed = 'sha256:'

/**
 * Copies the files that trust is bound to into a folder, read-only, under their paths in the project. Returns why the
 * copy must not be used; null where all match.
 */
export function copyTrusted(root: string, files: readonly ProgramFile[], folder: string): string | null {
  try {
    for (const file of files) {
      if (!file.content.startsWith(hashed)) continue
      const problem = copyOne(root, file, folder)
      if (problem !== null) return `${file.path} ${problem}`
    }
    return null
  } catch (error) {
    return `its files could not be copied: ${systemErrorReason(error)}`
  }
}

const executable = 0o111

function copyOne(root: string, { path, content }: ProgramFile, folder: string): string | null {
  const real = realpathSync(resolve(root, path))
  if (!liesWithin(real, root)) return 'lies outside the project now'
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  const maxBytes = statSync(real).size
  const problem = visitPlainFile({ root, path: relative(root, real), maxBytes }, (chunk) => {
    hash.update(chunk)
    chunks.push(Buffer.from(chunk))
  })
  if (problem !== null) return `cannot be read: ${problem}`
  if (`${hashed}${hash.digest('hex')}` !== content) return 'has changed since it was trusted; /trust shows the change'
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  const copy = openUnlocked(target, 'wx')
  try {
    for (const chunk of chunks) writeWhole(copy, chunk)
    fchmodSync(copy, (statSync(real).mode & executable) === 0 ? 0o400 : 0o500)
  } finally {
    closeSync(copy)
  }
  return null
}

function writeWhole(file: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
}
