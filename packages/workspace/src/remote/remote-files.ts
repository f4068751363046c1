import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecMethodName, ExecParamsOf, ExecResultOf } from '@parley/protocol/exec'
import { RpcError } from '@parley/rpc'
import type { EnvironmentFiles, FoundFile, NamedEntry, OpenedFile } from '../files/environment-files.ts'
import { EnvironmentUnreachableError } from '../files/errors.ts'
import type { Link } from './link.ts'

type Metadata = ExecResultOf<'fs/getMetadata'>

/** What an exec-server gives of a file at once. */
const maxReadBytes = 16 * 1024 * 1024

/** Asks the exec-server; its refusals look like the system's errors behind them. */
export async function askFiles<Name extends ExecMethodName>(
  link: Pick<Link, 'ask'>,
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
export function remoteFiles(link: Pick<Link, 'ask'>): EnvironmentFiles {
  const look = async (path: string) => foundFile(await askFiles(link, 'fs/getMetadata', { path }))
  return {
    countedFileBytes: 1024 * 1024,
    realPath: (absolute) => realPathThere(link, absolute),
    look,
    async isProgram(path) {
      try {
        const { isFile, executable } = await askFiles(link, 'fs/getMetadata', { path })
        return isFile && executable
      } catch (error) {
        if (error instanceof RemoteSystemError) return false
        throw error
      }
    },
    async list(path, atMost) {
      const { entries } = await askFiles(link, 'fs/readDirectory', { path, followLinks: false })
      return { entries: entries.slice(0, atMost).map(namedEntry), truncated: entries.length > atMost }
    },
    readLink: async (path) => (await askFiles(link, 'fs/getMetadata', { path })).linkTarget ?? '?',
    open: (realPath) => openThere(link, realPath),
  }
}

async function openThere(link: Pick<Link, 'ask'>, path: string): Promise<OpenedFile> {
  const [real, metadata] = await Promise.all([realPathThere(link, path), askFiles(link, 'fs/getMetadata', { path })])
  if (real !== path) throw new Error('the path now leads somewhere else')
  return {
    ...foundFile(metadata),
    async read(position, maxBytes) {
      const length = Math.min(maxBytes, maxReadBytes)
      // Every piece by its name, which may have become a link meanwhile.
      const range = { offset: position, length, followLinks: false }
      const { dataBase64 } = await askFiles(link, 'fs/readFile', { path, ...range })
      return Buffer.from(dataBase64, 'base64').subarray(0, length)
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Where a read or a write would land; over there, where the links are. */
async function realPathThere(link: Pick<Link, 'ask'>, path: string): Promise<string> {
  return pathOfUri((await askFiles(link, 'fs/canonicalize', { path, allowMissing: true })).path)
}

/** A `file:` URI of the far machine as a path: absolute and without `..`, which would pass for what lies below a folder. */
export function pathOfUri(uri: string): string {
  const path = uri.startsWith('file:') ? fileURLToPath(uri, { windows: false }) : uri
  if (!posix.isAbsolute(path) || path.includes('\0'))
    throw new EnvironmentUnreachableError('The exec-server of the environment named a path that is none.')
  return posix.resolve(path)
}

function foundFile({ isFile, isDirectory, size }: Metadata): FoundFile {
  return { kind: isFile ? 'file' : isDirectory ? 'folder' : 'other', sizeBytes: size }
}

function namedEntry(entry: ExecResultOf<'fs/readDirectory'>['entries'][number]): NamedEntry {
  const kind = entry.isSymlink ? 'link' : entry.isDirectory ? 'folder' : entry.isFile ? 'file' : 'other'
  return { name: entry.fileName, kind }
}

/** A call that the far system refused; for those who ask for its `code` it is like one of this system. */
class RemoteSystemError extends Error {
  override readonly name = 'RemoteSystemError'
  /** An errno name, such as `ENOENT`. */
  readonly code: string

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** An exec-server's refusal as the system's error behind it; anything else as it is. */
function asSystemError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  return new RemoteSystemError(error.data?.code ?? 'EREMOTEIO', error.message, error)
}
