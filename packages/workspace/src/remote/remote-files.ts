import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecMethodName, ExecParamsOf, ExecResultOf } from '@parley/protocol/exec'
import { RpcError } from '@parley/rpc'
import type { EnvironmentFiles, FoundFile, NamedEntry, OpenedFile } from '../files/environment-files.ts'
import { EnvironmentUnreachableError, whenUnknown } from '../files/errors.ts'
import type { ExecLink } from './link.ts'

type Metadata = ExecResultOf<'fs/getMetadata'>

/** Limit of an exec-server for one `fs/readFile`. */
export const maxReadBytes = 16 * 1024 * 1024

/** Sends a file request. Rejects with a `RemoteSystemError` when the exec-server reports a failure. */
export async function askFiles<Name extends ExecMethodName>(
  link: Pick<ExecLink, 'ask'>,
  method: Name,
  params: ExecParamsOf<Name>,
): Promise<ExecResultOf<Name>> {
  try {
    return await link.ask(method, params)
  } catch (error) {
    throw asSystemError(error)
  }
}

/** Files of the remote machine; every call asks the exec-server, nothing is cached. */
export function remoteFiles(link: Pick<ExecLink, 'ask'>): EnvironmentFiles {
  const look = async (path: string) => foundFile(await askFiles(link, 'fs/getMetadata', { path }))
  return {
    countedFileBytes: 1024 * 1024,
    realPath: (absolute) => remoteRealPath(link, absolute),
    realPaths: (absolute) => Promise.all(absolute.map((path) => remoteRealPath(link, path).catch(whenUnknown(path)))),
    namesIn: (folder) => remoteNames(link, folder).catch(whenUnknown(null)),
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
    open: (realPath) => openRemote(link, realPath),
  }
}

async function remoteNames(link: Pick<ExecLink, 'ask'>, folder: string): Promise<readonly string[]> {
  const path = await remoteRealPath(link, folder)
  const { entries } = await askFiles(link, 'fs/readDirectory', { path, followLinks: false })
  return entries.map((entry) => namedEntry(entry).name)
}

async function openRemote(link: Pick<ExecLink, 'ask'>, path: string): Promise<OpenedFile> {
  const [real, metadata] = await Promise.all([remoteRealPath(link, path), askFiles(link, 'fs/getMetadata', { path })])
  if (real !== path) throw new Error('the path now leads somewhere else')
  return {
    ...foundFile(metadata),
    async read(position, maxBytes) {
      const length = Math.min(maxBytes, maxReadBytes)
      // The exec-server opens the path for each read, and a link may have replaced it since.
      const range = { offset: position, length, followLinks: false }
      const { dataBase64 } = await askFiles(link, 'fs/readFile', { path, ...range })
      return Buffer.from(dataBase64, 'base64').subarray(0, length)
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function remoteRealPath(link: Pick<ExecLink, 'ask'>, path: string): Promise<string> {
  return pathOfUri((await askFiles(link, 'fs/canonicalize', { path, allowMissing: true })).path)
}

/** Converts a `file:` URI or path of the remote machine to an absolute path without `..`. Throws for anything else. */
export function pathOfUri(uri: string): string {
  const path = uri.startsWith('file:') ? fileURLToPath(uri, { windows: false }) : uri
  if (!posix.isAbsolute(path) || path.includes('\0'))
    throw new EnvironmentUnreachableError('The exec-server of the environment named an invalid path.')
  return posix.resolve(path)
}

/** Returns what tells a folder from a later one at its path; null for a missing one, and where the exec-server does not say. */
export async function remoteIdentity(link: Pick<ExecLink, 'ask'>, path: string): Promise<string | null> {
  try {
    return (await askFiles(link, 'fs/getMetadata', { path })).identity ?? null
  } catch (error) {
    if (error instanceof RemoteSystemError) return null
    throw error
  }
}

function foundFile({ isFile, isDirectory, size, state }: Metadata): FoundFile {
  const kind = isFile ? 'file' : isDirectory ? 'folder' : 'other'
  return { kind, sizeBytes: size, ...(state === undefined ? {} : { state }) }
}

function namedEntry(entry: ExecResultOf<'fs/readDirectory'>['entries'][number]): NamedEntry {
  const kind = entry.isSymlink ? 'link' : entry.isDirectory ? 'folder' : entry.isFile ? 'file' : 'other'
  return { name: entry.fileName, kind }
}

/** System error of the remote machine; carries `code` like an error of this machine's system. */
class RemoteSystemError extends Error {
  override readonly name = 'RemoteSystemError'
  /** Errno name, such as `ENOENT`. */
  readonly code: string

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Converts an `RpcError` to the system error it reports; returns other errors unchanged. */
function asSystemError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  return new RemoteSystemError(error.data?.code ?? 'EREMOTEIO', error.message, error)
}
