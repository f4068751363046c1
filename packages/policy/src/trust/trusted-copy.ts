import { createHash } from 'node:crypto'
import { closeSync, fchmodSync, mkdirSync, writeSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { openUnlocked } from '@parley/host'
import { liesWithin, systemErrorReason } from '@parley/workspace'
import type { ProgramFile, Programs } from './project-programs.ts'
import type { RootedTree } from './project-tree.ts'

const hashed = 'sha256:'

/** File with exactly the content that was trusted. */
export interface TrustedFile {
  /** Path in the project, relative to its root. */
  readonly path: string
  readonly bytes: Buffer
  readonly isProgram: boolean
}

type Trusted = { readonly files: readonly TrustedFile[] } | { readonly problem: string }

type Trusting = RootedTree & { programs(): Programs }

/** Reads the files that trust is bound to. Returns the reason where a file no longer has its trusted content. */
export function readTrusted(project: Trusting): Trusted {
  const wanted = project.programs().files.filter(({ content }) => content.startsWith(hashed))
  try {
    const files: TrustedFile[] = []
    for (const file of wanted) {
      const read = readOne(project, file)
      if (typeof read === 'string') return { problem: `${file.path} ${read}` }
      files.push({ path: file.path, ...read })
    }
    return { files }
  } catch (error) {
    return { problem: `its files could not be copied: ${systemErrorReason(error)}` }
  }
}

function readOne({ root, tree }: RootedTree, { path, content }: ProgramFile): Omit<TrustedFile, 'path'> | string {
  const real = tree.real(resolve(root, path))
  if (!liesWithin(real, root)) return 'lies outside the project now'
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  const maxBytes = tree.look(real)?.sizeBytes ?? 0
  const problem = tree.visit({ root, path: relative(root, real), maxBytes }, (chunk) => {
    hash.update(chunk)
    chunks.push(Buffer.from(chunk))
  })
  if (problem !== null) return `cannot be read: ${problem}`
  if (`${hashed}${hash.digest('hex')}` !== content) return 'has changed since it was trusted; /trust shows the change'
  return { bytes: Buffer.concat(chunks), isProgram: tree.isProgram(real) }
}

/**
 * Writes files into a folder of this machine, read-only, under their paths in the project. Returns the reason why the
 * copy must not be used; null where it is whole.
 */
export function writeCopy(files: readonly TrustedFile[], folder: string): string | null {
  try {
    for (const file of files) writeOne(file, folder)
    return null
  } catch (error) {
    return `its files could not be copied: ${systemErrorReason(error)}`
  }
}

function writeOne({ path, bytes, isProgram }: TrustedFile, folder: string): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  const copy = openUnlocked(target, 'wx')
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(copy, bytes, at)
    fchmodSync(copy, isProgram ? 0o500 : 0o400)
  } finally {
    closeSync(copy)
  }
}
