import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecMethodName, ExecParamsOf, ExecResultOf } from '@parley/protocol/exec'
import { isMissing } from '../lookup/system-error.ts'
import type { FoundFile, NamedEntry, OpenedFile, PlaceFiles } from '../place/place-files.ts'
import type { Link } from './link.ts'
import { asSystemError, RemoteSystemError } from './remote-errors.ts'

type Metadata = ExecResultOf<'fs/getMetadata'>

const anyoneMayExecute = 0o111
/** What an exec-server gives of a file at once. */
const maxReadBytes = 16 * 1024 * 1024

/** Asks the exec-server; its refusals look like the system's errors behind them. */
export async function askFiles<Name extends ExecMethodName>(
  link: Link,
  method: Name,
  params: ExecParamsOf<Name>,
): Promise<ExecResultOf<Name>> {
  try {
    return await link.ask(method, params)
  } catch (error) {
    throw asSystemError(error)
  }
}

/** The files of the far machine; nothing of them is kept here, so every answer is of now. */
export function remoteFiles(link: Link): PlaceFiles {
  const look = async (path: string) => foundFile(await askFiles(link, 'fs/getMetadata', { path }))
  return {
    realPath: async (absolute) => (await realPathThere(link, absolute)).path,
    look,
    async isProgram(path) {
      try {
        const { isFile, mode } = await askFiles(link, 'fs/getMetadata', { path })
        return isFile && (mode & anyoneMayExecute) !== 0
      } catch (error) {
        if (error instanceof RemoteSystemError) return false
        throw error
      }
    },
    async list(path, atMost) {
      const { entries } = await askFiles(link, 'fs/readDirectory', { path })
      return { entries: entries.slice(0, atMost).map(namedEntry), truncated: entries.length > atMost }
    },
    // How it is written is not told; where it leads is.
    readLink: (path) => canonical(link, path),
    open: (realPath) => openThere(link, realPath),
  }
}

async function openThere(link: Link, path: string): Promise<OpenedFile> {
  const [real, metadata] = await Promise.all([canonical(link, path), askFiles(link, 'fs/getMetadata', { path })])
  if (real !== path) throw new Error('the path now leads somewhere else')
  return {
    ...foundFile(metadata),
    async read(position, maxBytes) {
      const length = Math.min(maxBytes, maxReadBytes)
      const { dataBase64 } = await askFiles(link, 'fs/readFile', { path, offset: position, length })
      return Buffer.from(dataBase64, 'base64')
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

interface RealPath {
  readonly path: string
  readonly exists: boolean
}

/** Links are followed over there. A link that leads nowhere cannot be followed from here, so it has no answer. */
async function realPathThere(link: Link, absolute: string): Promise<RealPath> {
  try {
    return { path: await canonical(link, absolute), exists: true }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const parent = dirname(absolute)
  if (parent === absolute) return { path: absolute, exists: false }
  const above = await realPathThere(link, parent)
  const name = basename(absolute)
  if (above.exists && (await isLinkIn(link, above.path, name)))
    throw new RemoteSystemError('ELOOP', `${absolute} is a link that leads nowhere`, null)
  return { path: join(above.path, name), exists: false }
}

async function isLinkIn(link: Link, folder: string, name: string): Promise<boolean> {
  const { isDirectory } = await askFiles(link, 'fs/getMetadata', { path: folder })
  if (!isDirectory) return false
  const { entries } = await askFiles(link, 'fs/readDirectory', { path: folder })
  return entries.some((entry) => entry.fileName === name && entry.isSymlink)
}

async function canonical(link: Link, path: string): Promise<string> {
  return pathOfUri((await askFiles(link, 'fs/canonicalize', { path })).path)
}

/** A `file:` URI of the far machine as a path. */
export function pathOfUri(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri, { windows: false }) : uri
}

function foundFile({ isFile, isDirectory, size }: Metadata): FoundFile {
  return { kind: isFile ? 'file' : isDirectory ? 'folder' : 'other', sizeBytes: size }
}

function namedEntry(entry: ExecResultOf<'fs/readDirectory'>['entries'][number]): NamedEntry {
  const kind = entry.isSymlink ? 'link' : entry.isDirectory ? 'folder' : entry.isFile ? 'file' : 'other'
  return { name: entry.fileName, kind }
}
