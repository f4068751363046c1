import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createUnnamed, writeAll } from '../disk/file-io.ts'
import { type FileContents, type Files, type OpenFile, StorageError } from '../disk/files.ts'
import {
  type BundleAbout,
  type BundleEntry,
  encodeManifest,
  LOG_NAME,
  MANIFEST_NAME,
  sideFileName,
} from './manifest.ts'
import { paddingAfter, TAR_BLOCK_BYTES, tarHeader } from './tar-header.ts'

/** Content of a bundle. The log is read first, and `about` is called once everything is written. */
export interface BundleContent {
  readonly log: Iterable<Buffer>
  /** Side files by reference, in order. */
  readonly sideFiles: () => Iterable<{ readonly ref: string; readonly content: Buffer }>
  readonly about: () => BundleAbout
}

export interface WrittenBundle {
  readonly sizeBytes: number
  readonly entries: readonly BundleEntry[]
}

/**
 * Writes a tar archive of files compressed with gzip, the manifest last. The file appears whole or not at all. Rejects
 * with `StorageError`; `EEXIST` where the path is taken.
 */
export async function writeBundle(files: Files, path: string, content: BundleContent): Promise<WrittenBundle> {
  if (files.look(path) !== null) throw new StorageError({ code: 'EEXIST', operation: 'create', path })
  using archive = createUnnamed(files, path)
  const written = await writeEntries(files, archive.file, content)
  await files.sync(archive.file)
  archive.takeFreeName()
  await files.syncFolder(dirname(path))
  return written
}

async function writeEntries(files: FileContents, file: OpenFile, content: BundleContent): Promise<WrittenBundle> {
  const archive = { files, file, end: 0 }
  const entries = [await addCompressed(archive, LOG_NAME, content.log)]
  for (const { ref, content: bytes } of content.sideFiles())
    entries.push(await addCompressed(archive, sideFileName(ref), [bytes]))
  const manifest = encodeManifest(content.about(), entries)
  add(archive, tarHeader(MANIFEST_NAME, manifest.length))
  add(archive, manifest)
  add(archive, Buffer.alloc(paddingAfter(manifest.length) + 2 * TAR_BLOCK_BYTES))
  return { sizeBytes: archive.end, entries }
}

interface Archive {
  readonly files: FileContents
  readonly file: OpenFile
  end: number
}

/** Adds an entry. Its stored size is known only after its bytes, so the header is written last, in its place. */
async function addCompressed(archive: Archive, name: string, chunks: Iterable<Buffer>): Promise<BundleEntry> {
  const { files, file, end: headerAt } = archive
  add(archive, Buffer.alloc(TAR_BLOCK_BYTES))
  const hash = createHash('sha256')
  let storedBytes = 0
  let sizeBytes = 0
  function* counted(): Iterable<Buffer> {
    for (const chunk of chunks) {
      sizeBytes += chunk.length
      yield chunk
    }
  }
  await pipeline(Readable.from(counted()), createGzip(), async (stored: AsyncIterable<Buffer>) => {
    for await (const chunk of stored) {
      hash.update(chunk)
      storedBytes += chunk.length
      add(archive, chunk)
    }
  })
  add(archive, Buffer.alloc(paddingAfter(storedBytes)))
  files.overwrite(file, tarHeader(name, storedBytes), headerAt)
  return { name, storedBytes, sizeBytes, sha256: hash.digest('hex') }
}

function add(archive: Archive, bytes: Buffer): void {
  writeAll(archive.files, archive.file, bytes)
  archive.end += bytes.length
}
