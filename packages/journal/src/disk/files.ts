/** The only way from the log to the disk, so that a test can make the Nth operation fail. Every failure is a `StorageError`. */
export interface Files {
  /** Never follows a link in the last component and never hangs on a FIFO; refuses anything but a regular file. */
  open(path: string, access: Access): OpenFile
  close(file: OpenFile): void
  /** Bytes read, 0 at the end. Fills `buffer` from its start. */
  read(file: OpenFile, buffer: Buffer, position: number): number
  /** Bytes written, which may be fewer than given. Always at the end of the file. */
  write(file: OpenFile, bytes: Buffer): number
  /** Puts bytes in the place of others, all of them in one write: for the header alone. */
  overwrite(file: OpenFile, bytes: Buffer, position: number): void
  /** fdatasync, on the thread pool. */
  sync(file: OpenFile): Promise<void>
  syncFolder(path: string): Promise<void>
  truncate(file: OpenFile, sizeBytes: number): void
  setMode(file: OpenFile, mode: number): void
  stat(file: OpenFile): FileFacts
  /** Facts of the entry itself, a link not followed; null when there is none. */
  look(path: string): FileFacts | null
  /** For a folder just made, or a file that must not be opened. */
  setModeAt(path: string, mode: number): void
  makeFolder(path: string): void
  list(path: string): string[]
  rename(from: string, to: string): void
  link(from: string, to: string): void
  remove(path: string): void
  /** Null when another process, or another holder in this one, has it. */
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
  /** Names it has; 0 for an open file that was deleted. */
  readonly links: number
  /** Permission bits only. */
  readonly mode: number
}

export interface HeldLock {
  release(): void
}

export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700
