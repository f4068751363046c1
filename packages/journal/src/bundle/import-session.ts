import type { ConversationId } from '@parley/protocol'
import { createUnnamed, makeFolders, writeAll } from '../disk/file-io.ts'
import type { Files } from '../disk/files.ts'
import type { SessionPaths } from '../disk/session-paths.ts'
import { putSideFile } from '../disk/side-files.ts'
import { forkHeader } from '../log/header.ts'
import { newestLine } from '../log/read-back.ts'
import { LogView, lineCrc } from '../log/read-log.ts'
import { writeLines, writeWholeLog } from '../log/whole-log.ts'
import type { BundleManifest } from './manifest.ts'
import { BundleError, type VerifiedBundle } from './read-bundle.ts'

interface BundleImport {
  readonly paths: SessionPaths
  readonly conversationId: ConversationId
  readonly home: string
  /** Resolves to the lines to add behind the unpacked log; rejects with a fault of that log. */
  readonly settle: (log: LogView) => Promise<readonly string[]>
}

/**
 * Makes a session of a bundle, as a fork of the conversation in it. Its log appears last and whole, so that a crash leaves
 * no half of it. Rejects with `BundleError` or `StorageError`.
 */
export async function importSession(
  files: Files,
  bundle: VerifiedBundle,
  { paths, conversationId, home, settle }: BundleImport,
): Promise<void> {
  makeFolders(files, paths.folder)
  using unpacked = createUnnamed(files, paths.log)
  await bundle.unpackLog((chunk) => writeAll(files, unpacked.file, chunk))
  using view = LogView.open(files, unpacked.file.path)
  const added = await settle(view)
  for (const ref of bundle.sideFiles) await putSideFile(files, paths.sideFiles, await bundle.unpackSideFile(ref))
  const header = forkHeader(conversationId, endOf(view, bundle.manifest), view.header())
  await writeWholeLog(files, { path: paths.log, header, home }, async (fork) => {
    await writeLines(files, fork, bytesOf(view))
    await writeLines(files, fork, added)
  })
}

/** Returns the point of the fork: the newest line. Throws `BundleError` unless it is the one that the manifest names. */
function endOf(view: LogView, { conversationId: id, seq }: BundleManifest) {
  const last = view.read(newestLine)
  if (last === null) throw new BundleError('The log in the bundle holds no event.')
  if (last.seq !== seq) throw new BundleError('The log in the bundle does not end with its newest event.')
  return { id, seq, crc: lineCrc(last) }
}

function* bytesOf(view: LogView): Generator<Buffer> {
  for (const { bytes } of view.lines()) yield bytes
}
