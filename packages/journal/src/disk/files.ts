/** Port to the disk, so that a test can make the Nth operation fail. Every failure is a `StorageError`. */
export interface Files {
  /** Opens a regular file, and nothing else. Does not follow a link in the last component. */
  open(path: string, access: Access): OpenFile
  close(file: OpenFile): void
  /** Reads into `buffer` from its start. Returns the number of bytes, 0 at the end. */
  read(file: OpenFile, buffer: Buffer, position: number): number
  /** Writes at the end of the file. Returns the number of bytes, which may be fewer than given. */
  write(file: OpenFile, bytes: Buffer): number
  /** Overwrites bytes in one write. Used for the header only. */
  overwrite(file: OpenFile, bytes: Buffer, position: number): void
  /** Calls fdatasync on the thread pool. */
  sync(file: OpenFile): Promise<void>
  syncFolder(path: string): Promise<void>
  truncate(file: OpenFile, sizeBytes: number): void
  setMode(file: OpenFile, mode: number): void
  stat(file: OpenFile): FileFacts
  /** Returns facts of the entry itself, without following a link; null when there is none. */
  look(path: string): FileFacts | null
  /** Sets the mode of a folder just made, or of a file that must not be opened. */
  setModeAt(path: string, mode: number): void
  makeFolder(path: string): void
  list(path: string): string[]
  rename(from: string, to: string): void
  link(from: string, to: string): void
  remove(path: string): void
  /** Takes the kernel lock of a file. Returns null while another process or another holder in this one has it. */
  lock(path: string): HeldLock | null
}

/** `createNew` appends to a file that did not exist; `edit` reads and appends. */
export type Access = 'read' | 'edit' | 'createNew'

export interface OpenFile {
  readonly fd: number
  readonly path: string
}

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other'
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  readonly inode: number
  readonly device: number
  /** Number of names; 0 for an open file that was deleted. */
  readonly links: number
  /** Permission bits only. */
  readonly mode: number
}

export interface HeldLock {
  release(): void
}

export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700
