import fs from 'node:fs'
import { foreignOwner, openUnlocked } from '@parley/host'
import {
  FILE_MODE,
  type FileAccess,
  type FileFacts,
  type Files,
  FOLDER_MODE,
  hasCode,
  LOG_FOREIGN,
  type OpenFile,
  StorageError,
  storageError,
} from './files.ts'
import { lockFile } from './kernel-lock.ts'

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants

const FLAGS: Readonly<Record<FileAccess, number>> = {
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  edit: O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
  createNew: O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK,
}

/** Looks the function up at each call, as the synchronous calls do, since a test may have replaced it. */
const fdatasync = (fd: number) => ended((done) => fs.fdatasync(fd, done))
const fsync = (fd: number) => ended((done) => fs.fsync(fd, done))

export const nodeFiles: Files = {
  open: (path, access) => attempt('open', path, () => openRegular(path, access)),
  close: ({ fd, path }) => attempt('close', path, () => fs.closeSync(fd)),
  read: ({ fd, path }, buffer, position) =>
    attempt('read', path, () => fs.readSync(fd, buffer, 0, buffer.length, position)),
  write: ({ fd, path }, bytes) => attempt('write', path, () => fs.writeSync(fd, bytes)),
  overwrite: ({ path }, bytes, position) => attempt('overwrite', path, () => overwrite(path, bytes, position)),
  sync: ({ fd, path }) => attemptAsync('sync', path, () => fdatasync(fd)),
  syncFolder: (path) => attemptAsync('syncFolder', path, () => syncFolder(path)),
  truncate: ({ fd, path }, sizeBytes) => attempt('truncate', path, () => fs.ftruncateSync(fd, sizeBytes)),
  setMode: ({ fd, path }, mode) => attempt('setMode', path, () => fs.fchmodSync(fd, mode)),
  stat: ({ fd, path }) => attempt('stat', path, () => factsOf(fs.fstatSync(fd))),
  look: (path) => attempt('look', path, () => look(path)),
  setModeAt: (path, mode) => attempt('setModeAt', path, () => fs.chmodSync(path, mode)),
  makeFolder: (path) => attempt('makeFolder', path, () => fs.mkdirSync(path, FOLDER_MODE)),
  list: (path) => attempt('list', path, () => fs.readdirSync(path)),
  rename: (from, to) => attempt('rename', to, () => fs.renameSync(from, to)),
  link: (from, to) => attempt('link', to, () => fs.linkSync(from, to)),
  remove: (path) => attempt('remove', path, () => fs.unlinkSync(path)),
  removeTree: (path) => attempt('removeTree', path, () => fs.rmSync(path, { recursive: true, force: true })),
  lock: (path) => lockFile(path),
}

function ended(begin: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => begin((error) => (error === null ? resolve() : reject(error))))
}

function attempt<T>(operation: string, path: string, run: () => T): T {
  try {
    return run()
  } catch (cause) {
    throw storageError(operation, path, cause)
  }
}

async function attemptAsync(operation: string, path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (cause) {
    throw storageError(operation, path, cause)
  }
}

function openRegular(path: string, access: FileAccess): OpenFile {
  // A file that is created here cannot be a lock yet.
  const open = access === 'createNew' ? fs.openSync : openUnlocked
  const fd = open(path, FLAGS[access], FILE_MODE)
  const facts = fs.fstatSync(fd)
  const isForeign = !isOfKernel(path) && foreignOwner(path, facts) !== null
  const code = facts.isFile() ? (isForeign ? LOG_FOREIGN : null) : 'ENOTREG'
  if (code === null) return { fd, path }
  fs.closeSync(fd)
  throw new StorageError({ code, operation: 'open', path })
}

/** Returns true for a file of the kernel: in a user namespace it belongs to nobody, and only the kernel writes it. */
function isOfKernel(path: string): boolean {
  return path.startsWith('/proc/')
}

/** Overwrites through a second descriptor: Linux ignores the position on one that appends. */
function overwrite(path: string, bytes: Buffer, position: number): void {
  const fd = openUnlocked(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, FILE_MODE)
  try {
    fs.writeSync(fd, bytes, 0, bytes.length, position)
  } finally {
    fs.closeSync(fd)
  }
}

/** Syncs a folder. Ignores EINVAL, which file systems answer that cannot sync folders. */
async function syncFolder(path: string): Promise<void> {
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY)
  try {
    await fsync(fd)
  } catch (cause) {
    const error = storageError('syncFolder', path, cause)
    if (!hasCode(error, 'EINVAL')) throw error
  } finally {
    fs.closeSync(fd)
  }
}

function look(path: string): FileFacts | null {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? null : factsOf(stats)
}

function factsOf(stats: fs.Stats): FileFacts {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    sizeBytes: stats.size,
    modifiedAtMs: stats.mtimeMs,
    changedAtMs: stats.ctimeMs,
    inode: stats.ino,
    device: stats.dev,
    links: stats.nlink,
    mode: stats.mode & 0o7777,
  }
}
