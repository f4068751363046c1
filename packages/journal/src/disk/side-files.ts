import { createHash, type Hash } from 'node:crypto'
import { join } from 'node:path'
import { timeSlices } from '@parley/host'
import { piecesOf } from '@parley/text'
import { createUnnamed, makeFolders, openExisting, readFile, writeAll } from './file-io.ts'
import { FILE_MODE, type FileContents, type Files, hasCode, type OpenFile } from './files.ts'

/** Reference to content, as the log stores it: `sha256:<hex>` for the file `sha256-<hex>` of the conversation. */
export type SideFileRef = `sha256:${string}`

const REF = /^sha256:([0-9a-f]{64})$/
const FILE_NAME = /^sha256-[0-9a-f]{64}$/
const CHUNK_BYTES = 1024 * 1024
/** UTF-16 units of a text that are encoded at once; each takes three bytes at most. */
const PIECE_LENGTH = 256 * 1024

const REF_IN_TEXT = /sha256:[0-9a-f]{64}(?![0-9a-f])/g

/** Returns the references in a text, such as a line of a log, each once. Other hashes look the same and are among them. */
export function sideFileRefsIn(text: string): readonly string[] {
  return [...new Set(text.match(REF_IN_TEXT) ?? [])]
}

/**
 * Stores content and resolves when it is synced to disk; its folder is not. Long content is encoded, hashed and written
 * in slices, between which other tasks run.
 */
export async function putSideFile(files: Files, folder: string, content: string | Buffer): Promise<SideFileRef> {
  const hash = createHash('sha256')
  await eachPiece(content, (bytes) => hash.update(bytes))
  const place = placeOf(folder, hash)
  makeFolders(files, folder)
  if (files.look(place.path) === null) {
    await createThenRename(files, place.path, (file) => eachPiece(content, (bytes) => writeAll(files, file, bytes)))
  }
  // Also where it was there: the process that made it may have ended before it synced its name.
  await files.syncFolder(folder)
  return place.ref
}

/** Calls `take` with the bytes of the content in order; each are valid during the call. */
async function eachPiece(content: string | Buffer, take: (bytes: Buffer) => void): Promise<void> {
  const slices = timeSlices()
  for (const bytes of typeof content === 'string' ? encodedPieces(content) : bytePieces(content)) {
    take(bytes)
    if (slices.isOver()) await slices.next()
  }
}

/** Encodes all pieces into one buffer, since each of its own would wait for a collection. */
function* encodedPieces(text: string): Generator<Buffer, void, undefined> {
  const length = Math.min(text.length, PIECE_LENGTH)
  const buffer = Buffer.allocUnsafe(3 * length)
  for (const piece of piecesOf(text, length)) yield buffer.subarray(0, buffer.write(piece))
}

function* bytePieces(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

/** Moves a finished file into the folder, by a copy only across file systems. Hashes up to 64 MB in slices. */
export async function adoptSideFile(files: Files, folder: string, path: string): Promise<SideFileRef> {
  const place = placeOf(folder, await hashAndSecure(files, path))
  makeFolders(files, folder)
  if (files.look(place.path) === null) await moveIn(files, path, place.path)
  else files.remove(path)
  await files.syncFolder(folder)
  return place.ref
}

/** Reads a side file. Returns null when it is missing, or when its whole content does not match its name. */
export function readSideFile(
  files: FileContents,
  at: { readonly folder: string; readonly ref: string },
  range?: { readonly offset: number; readonly length: number },
): Buffer | null {
  const hash = REF.exec(at.ref)?.[1]
  if (hash === undefined) return null
  const bytes = readFile(files, join(at.folder, `sha256-${hash}`), range)
  if (bytes === null || range !== undefined) return bytes
  return createHash('sha256').update(bytes).digest('hex') === hash ? bytes : null
}

/** Links all side files into a fork's folder, so that either conversation can be deleted without the other. */
export async function linkSideFiles(files: Files, from: string, to: string): Promise<void> {
  if (files.look(from) === null) return
  const names = files.list(from).filter((name) => FILE_NAME.test(name))
  if (names.length === 0) return
  makeFolders(files, to)
  for (const name of names) await linkOrCopy(files, join(from, name), join(to, name))
  await files.syncFolder(to)
}

function placeOf(folder: string, hash: Hash): { ref: SideFileRef; path: string } {
  const hex = hash.digest('hex')
  return { ref: `sha256:${hex}`, path: join(folder, `sha256-${hex}`) }
}

async function hashAndSecure(files: FileContents, path: string): Promise<Hash> {
  const file = files.open(path, 'edit')
  try {
    const hash = createHash('sha256')
    await eachChunk(files, file, (chunk) => hash.update(chunk))
    files.setMode(file, FILE_MODE)
    await files.sync(file)
    return hash
  } finally {
    files.close(file)
  }
}

async function moveIn(files: Files, from: string, to: string): Promise<void> {
  try {
    files.rename(from, to)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    await copy(files, from, to)
    files.remove(from)
  }
}

/** Links a file, or copies it where links are impossible: across file systems, at a limit, or unsupported. */
async function linkOrCopy(files: Files, from: string, to: string): Promise<void> {
  try {
    files.link(from, to)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return
    if (!hasCode(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error
    await copy(files, from, to)
  }
}

async function copy(files: Files, from: string, to: string): Promise<void> {
  const source = openExisting(files, from)
  if (source === null) return
  try {
    await createThenRename(files, to, (target) => eachChunk(files, source, (chunk) => writeAll(files, target, chunk)))
  } finally {
    files.close(source)
  }
}

async function createThenRename(files: Files, path: string, fill: (file: OpenFile) => Promise<void>): Promise<void> {
  using fresh = createUnnamed(files, path)
  await fill(fresh.file)
  await files.sync(fresh.file)
  fresh.takeName()
}

async function eachChunk(files: FileContents, file: OpenFile, take: (chunk: Buffer) => void): Promise<void> {
  const slices = timeSlices()
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let position = 0
  for (;;) {
    const count = files.read(file, buffer, position)
    if (count === 0) return
    take(buffer.subarray(0, count))
    position += count
    if (slices.isOver()) await slices.next()
  }
}
