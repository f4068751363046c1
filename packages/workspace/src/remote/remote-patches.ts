import { isMissing } from '@parley/text'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import type { FileStat, PatchTarget } from '../patch/patch-files.ts'
import { maxPatchedBytes } from '../patch/plan/planned-files.ts'
import type { ExecLink } from './link.ts'
import { askFiles, maxReadBytes } from './remote-files.ts'
import { beginRemoteAttempt } from './remote-patch-attempt.ts'

const mayWrite = 0o222

/** Applies patches on the remote machine. The exec-server replaces each file whole, and only if it is unchanged since planning. */
export function remotePatches(link: Pick<ExecLink, 'ask'>, files: EnvironmentFiles): PatchTarget {
  const target: PatchTarget = {
    realPath: files.realPath,
    stat: (path) => remoteStat(link, path),
    readFile: (path) => readWhole(link, path),
    async readLink(path) {
      const { linkTarget } = await askFiles(link, 'fs/getMetadata', { path })
      if (typeof linkTarget !== 'string') throw new Error('its exec-server does not say where the link leads')
      return linkTarget
    },
    async list(path) {
      try {
        return (await files.list(path, Number.POSITIVE_INFINITY)).entries.map(({ name }) => name)
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    },
    begin: () => beginRemoteAttempt(link, target),
    // The exec-server removes its own temporary files.
    removeStrays: () => Promise.resolve(),
  }
  return target
}

async function remoteStat(link: Pick<ExecLink, 'ask'>, path: string): Promise<FileStat | null> {
  try {
    const found = await askFiles(link, 'fs/getMetadata', { path })
    const { isSymlink, isFile, isDirectory, size, mode, createdAtMs, modifiedAtMs, linkTarget } = found
    const kind = isSymlink ? 'link' : isFile ? 'file' : isDirectory ? 'folder' : 'other'
    // Size and times describe the target of a link, which may change while the link does not.
    const stamp = isSymlink ? `link to ${linkTarget}` : `${createdAtMs}:${size}:${modifiedAtMs}`
    return { kind, sizeBytes: size, mode: mode & 0o7777, owner: null, writable: (mode & mayWrite) !== 0, stamp }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Reads a file in chunks of `maxReadBytes`. A change between chunks is found by the comparison before writing. */
async function readWhole(link: Pick<ExecLink, 'ask'>, path: string): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  for (let offset = 0; ; ) {
    const { dataBase64, eof } = await askFiles(link, 'fs/readFile', { path, offset, length: maxReadBytes })
    const piece = Buffer.from(dataBase64, 'base64')
    pieces.push(piece)
    offset += piece.length
    // The size from `fs/getMetadata` may be wrong.
    if (offset > maxPatchedBytes) throw new Error('it is longer than its exec-server said')
    if (eof || piece.length === 0) return Buffer.concat(pieces)
  }
}
