import type { ConversationId } from '@parley/protocol'
import { createFile, makeFolders, removeQuietly, temporaryBeside, writeAll } from '../disk/file-io.ts'
import type { Files } from '../disk/files.ts'
import type { SessionPaths } from '../disk/session-paths.ts'
import { encodeHeader, forkHeader } from '../log/header.ts'
import { type LogLine, LogView, lineCrc } from '../log/read-log.ts'
import { putSideFile } from '../side-files.ts'
import { BundleError, type VerifiedBundle } from './read-bundle.ts'

interface Import {
  readonly paths: SessionPaths
  readonly conversationId: ConversationId
  /** Returns the lines that follow those of the unpacked log; throws what is wrong with that. */
  readonly settle: (log: LogView) => readonly string[]
}

/**
 * Makes a session of a bundle, as a fork of the conversation in it. Its log appears last and whole, so that a crash leaves
 * no half of it. Rejects with `BundleError` or `StorageError`.
 */
export async function importSession(
  files: Files,
  bundle: VerifiedBundle,
  { paths, conversationId, settle }: Import,
): Promise<void> {
  makeFolders(files, paths.folder)
  const unpacked = temporaryBeside(paths.log)
  try {
    await unpackLog(files, bundle, unpacked)
    using view = LogView.open(files, unpacked)
    const added = settle(view)
    for (const ref of bundle.sideFiles) await putSideFile(files, paths.sideFiles, await bundle.unpackSideFile(ref))
    await writeFork(files, view, { paths, conversationId, from: bundle.manifest.conversationId, added })
  } finally {
    removeQuietly(files, unpacked)
  }
}

async function unpackLog(files: Files, bundle: VerifiedBundle, path: string): Promise<void> {
  const file = createFile(files, path)
  try {
    await bundle.unpackLog((chunk) => writeAll(files, file, chunk))
  } finally {
    files.close(file)
  }
}

interface Fork extends Omit<Import, 'settle'> {
  readonly from: ConversationId
  readonly added: readonly string[]
}

async function writeFork(files: Files, view: LogView, { paths, conversationId, from, added }: Fork): Promise<void> {
  const last = lastOf(view)
  if (last === null) throw new BundleError('The log in the bundle holds no event.')
  const header = forkHeader(conversationId, { id: from, seq: last.seq, crc: lineCrc(last) }, view.header())
  const temporary = temporaryBeside(paths.log)
  const file = createFile(files, temporary)
  try {
    try {
      writeAll(files, file, Buffer.from(`${encodeHeader(header)}\n`))
      for (const { bytes } of view.lines()) writeAll(files, file, Buffer.concat([bytes, lineEnd]))
      for (const line of added) writeAll(files, file, Buffer.from(`${line}\n`))
      await files.sync(file)
    } finally {
      files.close(file)
    }
    files.rename(temporary, paths.log)
  } catch (error) {
    removeQuietly(files, temporary)
    throw error
  }
  for (const folder of paths.folders) await files.syncFolder(folder)
}

const lineEnd = Buffer.from('\n')

function lastOf(view: LogView): LogLine | null {
  let last: LogLine | null = null
  for (const line of view.lines()) last = line
  return last
}
