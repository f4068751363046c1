import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { timeSlices } from '@parley/host'
import { errorCode } from '@parley/text'
import { readSpan } from '../disk/file-io.ts'
import type { FileContents, OpenFile } from '../disk/files.ts'
import {
  type BundleEntry,
  type BundleManifest,
  decodeManifest,
  LOG_NAME,
  MANIFEST_NAME,
  sideFileName,
  sideFileRefOf,
} from './manifest.ts'
import { paddingAfter, readTarHeader, TAR_BLOCK_BYTES } from './tar-header.ts'

/** Reason why a file is not opened as a bundle; the message is a sentence that names the entry. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
}

const CHUNK_BYTES = 1024 * 1024

/** Limits of unpacking, checked before it begins. */
const limits = {
  entries: 100_000,
  manifestBytes: 64 * 1024 * 1024,
  logBytes: 8 * 1024 ** 3,
  sideFileBytes: 128 * 1024 * 1024,
}

/** Bundle with every byte verified. */
export interface VerifiedBundle {
  readonly manifest: BundleManifest
  readonly sideFiles: readonly string[]
  /** Calls `take` with the log in pieces, in order. Rejects with `BundleError`. */
  unpackLog(take: (chunk: Buffer) => void): Promise<void>
  /** Resolves to the content of a side file, which matches its name. Rejects with `BundleError`. */
  unpackSideFile(ref: string): Promise<Buffer>
}

interface StoredEntry extends BundleEntry {
  readonly byteOffset: number
}

/** Verifies every byte of a bundle, then calls `use`. Rejects with `BundleError`, or with `StorageError` of the disk. */
export async function openBundle<Result>(
  files: FileContents,
  path: string,
  use: (bundle: VerifiedBundle) => Promise<Result>,
): Promise<Result> {
  const file = files.open(path, 'read')
  try {
    const { manifest, places } = readTable(files, file)
    for (const place of places) await verifyStored(files, file, place)
    const byName = new Map(places.map((place) => [place.name, place]))
    return await use({
      manifest,
      sideFiles: places.flatMap(({ name }) => sideFileRefOf(name) ?? []),
      unpackLog: (take) => unpack(files, file, { place: storedEntryOf(byName, LOG_NAME), take }),
      unpackSideFile: (ref) => unpackSideFile(files, file, storedEntryOf(byName, sideFileName(ref))),
    })
  } finally {
    files.close(file)
  }
}

function storedEntryOf(places: ReadonlyMap<string, StoredEntry>, name: string): StoredEntry {
  const place = places.get(name)
  if (place === undefined) throw new BundleError(`The bundle has no ${name}.`)
  return place
}

/** Walks the headers, reads the manifest behind the last one, and compares both. */
function readTable(files: FileContents, file: OpenFile): { manifest: BundleManifest; places: readonly StoredEntry[] } {
  const found = walkHeaders(files, file)
  const last = found.pop()
  if (last?.name !== MANIFEST_NAME) throw new BundleError('It does not end in a manifest, so it is cut or no bundle.')
  if (last.sizeBytes > limits.manifestBytes) throw new BundleError('Its manifest is too large.')
  const manifest = decodeManifest(readSpan(files, file, { offset: last.byteOffset, length: last.sizeBytes }))
  if (manifest === null) throw damaged(MANIFEST_NAME)
  if ('newer' in manifest)
    throw new BundleError(`A newer parley wrote it (form ${manifest.bundle}). Update parley to open it.`)
  const { entries } = manifest
  if (entries.length !== found.length) throw new BundleError('Its manifest lists other files than it has.')
  const places = entries.map((entry, index) => ({ ...entry, byteOffset: byteOffsetOf(entry, found[index]) }))
  assertSizes(places)
  return { manifest, places }
}

interface TarEntry {
  readonly name: string
  readonly sizeBytes: number
  readonly byteOffset: number
}

function walkHeaders(files: FileContents, file: OpenFile): TarEntry[] {
  const { sizeBytes: fileBytes } = files.stat(file)
  const found: TarEntry[] = []
  const names = new Set<string>()
  let at = 0
  for (;;) {
    const block = readSpan(files, file, { offset: at, length: TAR_BLOCK_BYTES })
    if (block.length === TAR_BLOCK_BYTES && block.every((byte) => byte === 0)) break
    const header = block.length === TAR_BLOCK_BYTES ? readTarHeader(block) : null
    if (header === null)
      throw new BundleError(found.length === 0 ? 'It is no bundle of parley.' : `The bundle is damaged at byte ${at}.`)
    if (!isKnownName(header.name))
      throw new BundleError(`It holds a file that no bundle has: ${JSON.stringify(header.name)}.`)
    if (names.has(header.name)) throw new BundleError(`It holds ${header.name} twice.`)
    if (found.length > limits.entries) throw new BundleError(`It holds more than ${limits.entries} files.`)
    names.add(header.name)
    found.push({ ...header, byteOffset: at + TAR_BLOCK_BYTES })
    at += TAR_BLOCK_BYTES + header.sizeBytes
    assertZeros(files, file, { offset: at, length: paddingAfter(header.sizeBytes) }, header.name)
    at += paddingAfter(header.sizeBytes)
  }
  assertZeros(files, file, { offset: at, length: 2 * TAR_BLOCK_BYTES }, 'its end')
  if (fileBytes !== at + 2 * TAR_BLOCK_BYTES) throw new BundleError('It goes on after its end.')
  return found
}

function isKnownName(name: string): boolean {
  return name === LOG_NAME || name === MANIFEST_NAME || sideFileRefOf(name) !== null
}

function assertZeros(
  files: FileContents,
  file: OpenFile,
  span: { offset: number; length: number },
  name: string,
): void {
  const bytes = readSpan(files, file, span)
  if (bytes.length < span.length) throw new BundleError(`It is cut in ${name}.`)
  if (bytes.some((byte) => byte !== 0)) throw damaged(name)
}

function byteOffsetOf(entry: BundleEntry, found: TarEntry | undefined): number {
  if (found?.name === entry.name && found.sizeBytes === entry.storedBytes) return found.byteOffset
  throw new BundleError(`Its manifest and ${entry.name} do not fit together.`)
}

function assertSizes(places: readonly StoredEntry[]): void {
  for (const { name, sizeBytes } of places) {
    const limit = name === LOG_NAME ? limits.logBytes : limits.sideFileBytes
    if (sizeBytes > limit)
      throw new BundleError(`${name} would have ${sizeBytes} bytes; at most ${limit} are unpacked.`)
  }
}

async function verifyStored(files: FileContents, file: OpenFile, place: StoredEntry): Promise<void> {
  const hash = createHash('sha256')
  for await (const chunk of storedChunks(files, file, place)) hash.update(chunk)
  if (hash.digest('hex') !== place.sha256) throw damaged(place.name)
}

async function* storedChunks(
  files: FileContents,
  file: OpenFile,
  { byteOffset, storedBytes }: StoredEntry,
): AsyncGenerator<Buffer> {
  const slices = timeSlices()
  for (let done = 0; done < storedBytes; done += CHUNK_BYTES) {
    yield readSpan(files, file, { offset: byteOffset + done, length: Math.min(CHUNK_BYTES, storedBytes - done) })
    if (slices.isOver()) await slices.next()
  }
}

/** Unpacks an entry, and stops as soon as it has more bytes than its manifest allows. */
async function unpack(
  files: FileContents,
  file: OpenFile,
  { place, take }: { readonly place: StoredEntry; readonly take: (chunk: Buffer) => void },
): Promise<void> {
  let sizeBytes = 0
  try {
    await pipeline(
      Readable.from(storedChunks(files, file, place)),
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          sizeBytes += chunk.length
          if (sizeBytes > place.sizeBytes) throw damaged(place.name)
          take(chunk)
        }
      },
    )
  } catch (error) {
    throw errorCode(error)?.startsWith('Z_') === true ? damaged(place.name) : error
  }
  if (sizeBytes !== place.sizeBytes) throw damaged(place.name)
}

async function unpackSideFile(files: FileContents, file: OpenFile, place: StoredEntry): Promise<Buffer> {
  const chunks: Buffer[] = []
  await unpack(files, file, { place, take: (chunk) => chunks.push(chunk) })
  const content = Buffer.concat(chunks)
  const hash = createHash('sha256').update(content).digest('hex')
  if (sideFileRefOf(place.name) !== `sha256:${hash}`) throw damaged(place.name)
  return content
}

function damaged(name: string): BundleError {
  return new BundleError(`The bundle is damaged: ${name} is not as it was written. Get it again from its source.`)
}
