import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { type Files, readSideFile, sideFileRefsIn } from '@parley/journal'
import { type Redaction, redactJson } from '@parley/redaction'
import { redactBytes } from '../conversation/side-files.ts'
import { imageTypeOf } from '../core/image-form.ts'

/** Side files as a bundle holds them. */
export interface BundledFiles {
  /** Returns the text with references to side files of the bundle, and notes these files. Hashes without a file stay. */
  refer(text: string): string
  /** References of the noted files in the bundle, by their references in the log. */
  readonly noted: ReadonlyMap<string, string>
  /** Returns the content of a noted file. */
  content(ref: string): Buffer
}

/**
 * Redacts side files again. A text that changes gets the reference of its new content; images stay as they are. Reads a
 * file anew each time, so that only one of them is in memory.
 */
export function createBundledFiles(files: Files, folder: string, redaction: Redaction): BundledFiles {
  const noted = new Map<string, string>()
  const unknown = new Set<string>()

  function bundledRef(ref: string): string {
    const known = noted.get(ref)
    if (known !== undefined || unknown.has(ref)) return known ?? ref
    const bytes = readSideFile(files, { folder, ref })
    if (bytes === null) {
      unknown.add(ref)
      return ref
    }
    const bundled = bundledContent(bytes)
    const newRef = bundled === bytes ? ref : `sha256:${createHash('sha256').update(bundled).digest('hex')}`
    noted.set(ref, newRef)
    return newRef
  }

  function bundledContent(bytes: Buffer): Buffer {
    if (imageTypeOf(bytes) !== null) return bytes
    const redacted = isUtf8(bytes)
      ? Buffer.from(redactJson(refer(bytes.toString()), redaction.text))
      : redactBytes(bytes, redaction)
    return redacted.equals(bytes) ? bytes : redacted
  }

  function refer(text: string): string {
    return sideFileRefsIn(text).reduce((changed, ref) => changed.replaceAll(ref, bundledRef(ref)), text)
  }

  return {
    refer,
    noted,
    content: (ref) => bundledContent(readSideFile(files, { folder, ref }) ?? Buffer.alloc(0)),
  }
}
