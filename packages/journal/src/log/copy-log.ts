import { timeSlices } from '@parley/host'
import { readSpan, writeAll } from '../disk/file-io.ts'
import { type FileContents, type Files, type OpenFile, StorageError } from '../disk/files.ts'
import { type Checkpoint, readCheckpoint, stampOf, writeCheckpoint } from './checkpoint.ts'
import { bodyStartOf, type LogHeader } from './header.ts'
import { writeWholeLog } from './whole-log.ts'

const CHUNK_BYTES = 1024 * 1024

/** Log that begins with the lines of another. */
interface CopiedLog {
  readonly from: { readonly log: string; readonly checkpoint: string }
  readonly to: { readonly log: string; readonly checkpoint: string }
  readonly header: LogHeader
  /** Byte offset behind the last line to copy. */
  readonly endOffset: number
  /** Version of program and fold. */
  readonly key: string
  readonly home: string
}

/**
 * Copies a log up to the end of a line, damage included, behind a new header, with a checkpoint of these lines, in
 * slices. Resolves when the copy would survive a power cut.
 */
export async function copyLog(files: Files, { from, to, header, endOffset, key, home }: CopiedLog): Promise<void> {
  const source = files.open(from.log, 'read')
  try {
    const checkpoint = await readCheckpoint(files, from.checkpoint, { log: source, key })
    const start = bodyStartOf(files, source)
    await writeWholeLog(files, { path: to.log, header, home }, (copy) =>
      copyBytes(files, { source, copy }, { start, endOffset }),
    )
    const facts = files.look(to.log)
    if (facts !== null && checkpoint !== null && start + checkpoint.mark.endPlace <= endOffset)
      await keepCheckpoint(files, to.checkpoint, { ...checkpoint, header, stamp: stampOf(facts) })
  } finally {
    files.close(source)
  }
}

async function keepCheckpoint(files: Files, path: string, checkpoint: Checkpoint): Promise<void> {
  try {
    await writeCheckpoint(files, path, checkpoint)
  } catch (error) {
    // Without it the copy is read from its beginning.
    if (!(error instanceof StorageError)) throw error
  }
}

async function copyBytes(
  files: FileContents,
  { source, copy }: { readonly source: OpenFile; readonly copy: OpenFile },
  { start, endOffset }: { readonly start: number; readonly endOffset: number },
): Promise<void> {
  const slices = timeSlices()
  for (let offset = start; offset < endOffset; offset += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, endOffset - offset)
    writeAll(files, copy, readSpan(files, source, { offset, length }))
    if (slices.isOver()) await slices.next()
  }
}
