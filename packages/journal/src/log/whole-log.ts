import { dirname } from 'node:path'
import { timeSlices } from '@parley/host'
import { createUnnamed, foldersUpTo, makeFolders, writeAll } from '../disk/file-io.ts'
import type { FileContents, Files, OpenFile } from '../disk/files.ts'
import { encodeHeader, type LogHeader } from './header.ts'

/**
 * Writes a log with all its lines, which `fill` adds behind the header. A killed process leaves no part of it that is
 * listed. Resolves when it would survive a power cut.
 */
export async function writeWholeLog(
  files: Files,
  { path, header, home }: { readonly path: string; readonly header: LogHeader; readonly home: string },
  fill: (log: OpenFile) => Promise<void>,
): Promise<void> {
  const folder = dirname(path)
  makeFolders(files, folder)
  using log = createUnnamed(files, path)
  writeAll(files, log.file, Buffer.from(`${encodeHeader(header)}\n`))
  await fill(log.file)
  await files.sync(log.file)
  log.takeName()
  for (const each of foldersUpTo(folder, home)) await files.syncFolder(each)
}

/** Writes lines, given without their LF. Other tasks run in between. */
export async function writeLines(files: FileContents, file: OpenFile, lines: Iterable<string | Buffer>): Promise<void> {
  const slices = timeSlices()
  for (const line of lines) {
    writeAll(files, file, Buffer.concat([typeof line === 'string' ? Buffer.from(line) : line, lineEnd]))
    if (slices.isOver()) await slices.next()
  }
}

const lineEnd = Buffer.from('\n')
