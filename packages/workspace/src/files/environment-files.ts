import { whenUnknown } from './errors.ts'

/**
 * Read access to the files of an environment, on this machine's disk or through an exec-server.
 *
 * All paths are absolute. Throws the system's errors with their `code`, and `EnvironmentUnreachableError`.
 */
export interface EnvironmentFiles {
  /** Size limit in bytes for reading a whole file only to count its lines. */
  readonly countedFileBytes: number
  /**
   * Resolves the path that a read of or a write to `absolute` would reach: links followed, dangling ones too, and the
   * missing rest appended.
   */
  realPath(absolute: string): Promise<string>
  /** Resolves many paths, most of them missing; leaves paths that cannot be resolved as they are. */
  realPaths(absolute: readonly string[]): Promise<readonly string[]>
  /** Returns the names in a folder, to which links may lead; null where they are unknown, so that any may be there. */
  namesIn(folder: string): Promise<readonly string[] | null>
  look(path: string): Promise<FoundFile>
  /** Returns true for a regular file with execute permission; false where this cannot be determined. */
  isProgram(path: string): Promise<boolean>
  /** Lists a folder; truncated if it has more entries than `atMost`. Throws when `realPath` contains a link. */
  list(
    realPath: string,
    atMost: number,
  ): Promise<{ readonly entries: readonly NamedEntry[]; readonly truncated: boolean }>
  /** Reads the target of a link as written. Throws when a folder in `path` is a link. */
  readLink(path: string): Promise<string>
  /** Opens a file or folder for reading. Throws when `realPath` contains a link. Does not wait on a pipe without a writer. */
  open(realPath: string): Promise<OpenedFile>
}

/** Kind and size of a file, links followed. */
export interface FoundFile {
  readonly kind: 'file' | 'folder' | 'other'
  readonly sizeBytes: number
  /** Device, inode and time of birth; absent on a machine that does not report them. */
  readonly identity?: string
  /** Changes with each write to it; absent where that is not reported. */
  readonly state?: string
}

export interface NamedEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** Open file or folder; reads come from this file even if another one takes its name. */
export interface OpenedFile extends FoundFile, AsyncDisposable {
  /** Reads at most `maxBytes` from `position`, no bytes at the end. The bytes are valid until the next read. */
  read(position: number, maxBytes: number): Promise<Uint8Array>
}

/** Beginning of a file, and the size of all of it. */
export interface FileOpening {
  readonly bytes: Buffer
  readonly sizeBytes: number
}

/** Reads the first `maxBytes` of a regular file as text; null for anything else. */
export async function readOpening(files: EnvironmentFiles, realPath: string, maxBytes: number): Promise<string | null> {
  const opening = await readOpeningBytes(files, realPath, maxBytes)
  return opening === null ? null : opening.bytes.toString('utf8')
}

/** Reads the first `maxBytes` of a regular file; null for anything else, such as a pipe that may never end. */
export async function readOpeningBytes(
  files: EnvironmentFiles,
  realPath: string,
  maxBytes: number,
): Promise<FileOpening | null> {
  try {
    await using file = await files.open(realPath)
    if (file.kind !== 'file') return null
    return { bytes: Buffer.from(await file.read(0, maxBytes)), sizeBytes: file.sizeBytes }
  } catch (error) {
    return whenUnknown(null)(error)
  }
}
