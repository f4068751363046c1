import { whenUnknown } from './errors.ts'

/** What lies at a path, links followed. */
export interface FoundFile {
  readonly kind: 'file' | 'folder' | 'other'
  readonly sizeBytes: number
}

export interface FolderNames {
  readonly entries: readonly NamedEntry[]
  /** There are more names than were asked for. */
  readonly truncated: boolean
}

export interface NamedEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** A file or folder held open: what is read is what was looked at, whatever happens to its name. */
export interface OpenedFile extends FoundFile, AsyncDisposable {
  /** At most `maxBytes` from `position` on, none at the end. The bytes are valid until the next read. */
  read(position: number, maxBytes: number): Promise<Uint8Array>
}

/**
 * Looking at the files of a place: this machine's disk or a remote one's, which is never answered for from here. All
 * paths are absolute. Failures are the system's errors, with its `code`.
 */
export interface PlaceFiles {
  /** A larger file is not read to its end only to count its lines. */
  readonly countedFileBytes: number
  /**
   * Where a read of or a write to `absolute` would land: links followed in everything that exists (a dangling link
   * too, since a write would create its target), the missing rest appended.
   */
  realPath(absolute: string): Promise<string>
  look(path: string): Promise<FoundFile>
  /** A file that may be executed; whatever cannot be told is none. */
  isProgram(path: string): Promise<boolean>
  /** Of the folder at a real path; a link in it makes it fail. */
  list(realPath: string, atMost: number): Promise<FolderNames>
  /** What the link at a path points at, as written in it; a link on the way makes it fail. */
  readLink(path: string): Promise<string>
  /** Opens a real path for reading; a link in it makes it fail. Does not wait on a pipe without a writer. */
  open(realPath: string): Promise<OpenedFile>
}

/** The beginning of a regular file as text; null for anything else, such as a pipe that would never end. */
export async function readOpening(files: PlaceFiles, realPath: string, maxBytes: number): Promise<string | null> {
  try {
    await using file = await files.open(realPath)
    if (file.kind !== 'file') return null
    return Buffer.from(await file.read(0, maxBytes)).toString('utf8')
  } catch (error) {
    return whenUnknown(null)(error)
  }
}
