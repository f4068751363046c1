import { type BigIntStats, constants, type Dirent } from 'node:fs'
import { access, type FileHandle, lstat, readdir, readlink, stat } from 'node:fs/promises'
import { identityOfStat, openUnlockedHandle } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import { entriesOf, inFolder, openRealFile } from '@parley/workspace'
import type { Reach } from '../sandbox/reach.ts'
import { fileFailure } from '../wire/requests.ts'

/** Limit of one read, which fits a message as base64. */
const maxTransferBytes = 16 * 1024 * 1024

const pieceBytes = 1024 * 1024

/**
 * Reads a part of a regular file; a null `length` reads to the end, up to the limit of one read. Throws for anything
 * else, since a pipe without a writer would block for ever.
 */
export async function readFileRange(
  { path, exact }: Reach,
  offset: number,
  length: number | null,
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

/**
 * Describes the file at a path and, for a link, its target. Omits the facts of a target that has meanwhile become a
 * link itself.
 */
export async function readMetadata(own: Reach, target: Reach): Promise<ExecResultOf<'fs/getMetadata'>> {
  const { stats: itself, linkTarget } = await lookAt(own)
  const led = linkTarget === null ? null : await lookAtTarget(target)
  const found = led ?? itself
  const isDangling = linkTarget !== null && led === null
  return {
    isDirectory: found.isDirectory(),
    isFile: found.isFile(),
    isSymlink: linkTarget !== null,
    size: Number(found.size),
    linkTarget,
    executable: !isDangling && (target.exact ? mayRun(found) : await canRun(target.path)),
    mode: Number(found.mode) & 0o7777,
    createdAtMs: inMs(found.birthtimeNs),
    modifiedAtMs: inMs(found.mtimeNs),
    identity: identityOfStat(found),
    ...(isDangling ? {} : { state: stateOf(found) }),
  }
}

/** Throws for a path at which nothing lies. */
export async function assertThere(reach: Reach): Promise<void> {
  await lookAt(reach)
}

function lookAt({ path, exact }: Reach) {
  const look = async (name: string) => {
    const stats = await lstat(name, { bigint: true })
    return { stats, linkTarget: stats.isSymbolicLink() ? await readlink(name) : null }
  }
  return exact ? inFolder(path, look) : look(path)
}

/** Returns null for a missing file, and for a link in place of a path that was judged. */
async function lookAtTarget({ path, exact }: Reach): Promise<BigIntStats | null> {
  try {
    if (!exact) return await stat(path, { bigint: true })
    const { stats, linkTarget } = await lookAt({ path, exact })
    return linkTarget === null ? stats : null
  } catch {
    return null
  }
}

function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Tells by its mode if this user may run a file: to ask the system would follow a link that was put there since. */
function mayRun({ mode, uid, gid }: BigIntStats): boolean {
  const may = (bits: bigint) => (mode & bits) !== 0n
  const own = BigInt(process.geteuid?.() ?? -1)
  if (own === 0n) return may(0o111n)
  if (uid === own) return may(0o100n)
  const groups = [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])]
  return groups.includes(Number(gid)) ? may(0o010n) : may(0o001n)
}

function inMs(ns: bigint): number {
  return Math.round(Number(ns) / 1e6)
}

/** Returns the state of a file as a text. Each write changes `ctime`, which no program can set. */
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
