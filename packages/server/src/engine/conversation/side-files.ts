import { adoptSideFile, type Files, makeFolders, putSideFile, readSideFile } from '@parley/journal'
import { type Redaction, redactJson } from '@parley/redaction'
import { unlessStorageFails } from './storage-patience.ts'

/** What is too large for the log, by content hash, beside it. */
export interface SideFiles {
  put(content: string | Buffer): Promise<string>
  /** Moves a finished file in. */
  adopt(path: string): Promise<string>
  /** A whole text file, kept in memory after the first read; null when it is missing or damaged. */
  readText(file: string): string | null
  /** Of a whole file of bytes, which is not kept in memory. */
  readBase64(file: string): string | null
  read(file: string, range: { readonly offset: number; readonly length: number }): Buffer | null
  /** Where a running command may spool its output. */
  readonly folder: string
  /** Makes the folder. Without one a command runs all the same, and only the middle of a long output is lost. */
  prepare(): void
}

export function createSideFiles(files: Files, folder: string): SideFiles {
  const texts = new Map<string, string>()
  return {
    folder,
    async put(content) {
      const ref = await putSideFile(files, folder, content)
      if (typeof content === 'string') texts.set(ref, content)
      return ref
    },
    adopt: (path) => adoptSideFile(files, folder, path),
    readText(file) {
      const known = texts.get(file)
      if (known !== undefined) return known
      const text = readSideFile(files, { folder, ref: file })?.toString() ?? null
      if (text !== null) texts.set(file, text)
      return text
    },
    readBase64: (file) => readSideFile(files, { folder, ref: file })?.toString('base64') ?? null,
    read: (file, range) => readSideFile(files, { folder, ref: file }, range),
    prepare: () => unlessStorageFails(() => makeFolders(files, folder)),
  }
}

/** All that goes to the disk beside the log has marks in place of secrets, but images, which are to stay what they are. */
export function redactSideFiles(files: SideFiles, redaction: Redaction): SideFiles {
  const redacted = (content: string | Buffer) => {
    if (typeof content === 'string') return redactJson(content, redaction.text)
    return imageTypeOf(content) === null ? redactBytes(content, redaction) : content
  }
  return { ...files, put: (content) => files.put(redacted(content)) }
}

function redactBytes(bytes: Buffer, redaction: Redaction): Buffer {
  const filter = redaction.filter()
  return Buffer.concat([filter.push(bytes), filter.end(false)])
}

const beginnings: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

/** The media type of an image that models take, from its first bytes; null for anything else. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  return beginnings.find(([, pattern]) => pattern.test(start))?.[0] ?? null
}
