import { dirname } from 'node:path'
import { adoptSideFile, type Files, makeFolders, putSideFile, readSideFile } from '@parley/journal'
import { type Redaction, redactJson } from '@parley/redaction'
import { imageTypeOf } from '../core/image-form.ts'
import { unlessStorageFails } from './storage-retry.ts'

/** Files beside the log that hold large content, named by content hash. */
export interface SideFiles {
  put(content: string | Buffer): Promise<string>
  /** Stores a text. Resolves to it as it is stored, with its reference. */
  keep(text: string): Promise<{ readonly file: string; readonly text: string }>
  /** Moves a finished file into the folder and returns its reference. */
  adopt(path: string): Promise<string>
  /** Reads a whole text file and keeps it in memory; null when it is missing or damaged. */
  readText(file: string): string | null
  /** Reads a whole binary file, which is not kept in memory. */
  readBase64(file: string): string | null
  read(file: string, range: { readonly offset: number; readonly length: number }): Buffer | null
  /** Folder for the output of running commands. */
  readonly folder: string
  /** Creates the folder. On failure commands still run, and only the middle of a long output is lost. */
  prepare(): void
}

export function createSideFiles(files: Files, folder: string): SideFiles {
  const texts = new Map<string, string>()
  let isNamed = false

  /** Syncs the name of the folder once: the log that refers to a file in it may have synced its own folder before. */
  async function named(): Promise<void> {
    if (!isNamed) await files.syncFolder(dirname(folder))
    isNamed = true
  }

  async function put(content: string | Buffer): Promise<string> {
    // As the file has it, where half of a character is U+FFFD.
    const stored = typeof content === 'string' ? content.toWellFormed() : content
    const ref = await putSideFile(files, folder, stored)
    await named()
    if (typeof stored === 'string') texts.set(ref, stored)
    return ref
  }

  return {
    folder,
    put,
    keep: async (text) => ({ file: await put(text), text: text.toWellFormed() }),
    async adopt(path) {
      const ref = await adoptSideFile(files, folder, path)
      await named()
      return ref
    },
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

/** Redacts all stored content except images: their bytes must stay as they are. */
export function redactSideFiles(files: SideFiles, redaction: Redaction): SideFiles {
  const redacted = async (content: string | Buffer) => {
    if (typeof content !== 'string') return imageTypeOf(content) === null ? redactBytes(content, redaction) : content
    return (await redaction.longText(content)) === content ? content : redactJson(content, redaction.text)
  }
  return {
    folder: files.folder,
    put: async (content) => files.put(await redacted(content)),
    keep: async (text) => files.keep(await redaction.longText(text)),
    adopt: files.adopt,
    readText: files.readText,
    readBase64: files.readBase64,
    read: files.read,
    prepare: files.prepare,
  }
}

/** Redacts bytes that are no text or come from a command, each read as one character. */
export function redactBytes(bytes: Buffer, redaction: Redaction): Buffer {
  const filter = redaction.filter()
  return Buffer.concat([filter.push(bytes), filter.end(false)])
}
