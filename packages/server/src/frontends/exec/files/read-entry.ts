import { type BigIntStats, constants, type Dirent } from 'node:fs'
import { access, type FileHandle, lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { identityOf, openUnlockedHandle } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import { entriesOf, openRealFile } from '@parley/workspace'
import { fileFailure } from '../requests.ts'
import type { Reach } from '../sandbox/enforce-policy.ts'

/** Limit of one read, which fits a message as base64. */
const maxTransferBytes = 16 * 1024 * 1024

const pieceBytes = 1024 * 1024

interface FileRange {
  readonly offset: number
  /** Bytes to read; null reads to the end, up to the limit of one read. */
  readonly length: number | null
}

/** Reads a part of a regular file. Throws for anything else, since a pipe without a writer would block for ever. */
export async function readFileRange(
  { path, exact }: Reach,
  { offset, length }: FileRange,
): Promise<ExecResultOf<'fs/readFile'>> {
  await using handle = await (exact
    ? openRealFile(path)
    : openUnlockedHandle(path, constants.O_RDONLY | constants.O_NONBLOCK))
  const stats = await handle.stat()
  if (stats.isDirectory()) throw fileFailure('EISDIR', path, 'it is a folder')
  if (!stats.isFile()) throw fileFailure('EINVAL', path, 'it is not a regular file')
  const wanted = length ?? maxTransferBytes + 1
  const bytes = await readUpTo(handle, offset, wanted)
  if (length === null && bytes.length > maxTransferBytes) {
    throw fileFailure('EFBIG', path, `it is longer than ${maxTransferBytes} bytes; read it in ranges`)
  }
  const eof = bytes.length < wanted || offset + bytes.length >= stats.size
  return { dataBase64: bytes.toString('base64'), sizeBytes: stats.size, eof }
}

/** Reads until no bytes come, since files under /proc report size 0. */
async function readUpTo(handle: FileHandle, offset: number, wanted: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let done = 0; done < wanted; ) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, wanted - done))
    const { bytesRead } = await handle.read(piece, 0, piece.length, offset + done)
    if (bytesRead === 0) break
    pieces.push(piece.subarray(0, bytesRead))
    done += bytesRead
  }
  return Buffer.concat(pieces)
}

export async function readMetadata(path: string): Promise<ExecResultOf<'fs/getMetadata'>> {
  const own = await lstat(path)
  const isSymlink = own.isSymbolicLink()
  const found = isSymlink ? await stat(path).catch(() => own) : own
  const exact = await stat(path, { bigint: true }).catch(() => null)
  const identity = identityOf(isSymlink ? await realpath(path).catch(() => path) : path)
  return {
    isDirectory: found.isDirectory(),
    isFile: found.isFile(),
    isSymlink,
    size: found.size,
    linkTarget: isSymlink ? await readlink(path) : null,
    executable: await access(path, constants.X_OK).then(
      () => true,
      () => false,
    ),
    mode: found.mode & 0o7777,
    createdAtMs: Math.round(found.birthtimeMs),
    modifiedAtMs: Math.round(found.mtimeMs),
    ...(identity === null ? {} : { identity }),
    ...(exact === null ? {} : { state: stateOf(exact) }),
  }
}

/** The time of its change, which no program sets, changes with all that is written. */
function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

export async function readFolder({ path, exact }: Reach): Promise<ExecResultOf<'fs/readDirectory'>> {
  const found = exact ? await exactly(path) : await readdir(path, { withFileTypes: true })
  const entries = found.map((entry) => ({
    fileName: entry.name,
    isDirectory: entry.isDirectory(),
    isFile: entry.isFile(),
    isSymlink: entry.isSymbolicLink(),
  }))
  return { entries: entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)) }
}

async function exactly(path: string): Promise<Dirent[]> {
  const entries: Dirent[] = []
  for await (const entry of entriesOf(path)) entries.push(entry)
  return entries
}
