import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { joinShellWords } from '@parley/text'
import { type ChangedFile, remarkLines } from './changed-file.ts'
import { SpanError } from './find-span.ts'
import { type Git, isProblem, problemText, textOf } from './safe-git.ts'

interface NewFiles {
  readonly files: readonly ChangedFile[]
  /** True if there are more new files than are listed. */
  readonly isListCut: boolean
}

const maxListBytes = 4 * 1024 * 1024
/** Limits: bytes of one file, bytes of all, number of files, and files at the same time. */
const maxFileBytes = 256 * 1024
const maxTextBytes = 4 * 1024 * 1024
const maxFilesRead = 2_000
const filesAtOnce = 16

/** Reads the files that git does not know yet, each as a diff that adds it. Throws `SpanError` if git cannot list them. */
export async function readNewFiles(git: Git, top: string, fromFolder: (name: string) => string): Promise<NewFiles> {
  const listed = await git(['ls-files', '--others', '--exclude-standard', '-z'], maxListBytes)
  const isListCut = listed.kind === 'ended' && listed.isCut
  if (isProblem(listed) && !isListCut) throw new SpanError(problemText(listed, top))
  // After the last NUL there is nothing, or half of a name.
  const names = textOf(listed).split('\0').slice(0, -1)
  const files: ChangedFile[] = []
  let room = maxTextBytes
  while (files.length < names.length) {
    const canRead = room > 0 && files.length < maxFilesRead
    const batch = names.slice(files.length, canRead ? files.length + filesAtOnce : undefined)
    const read = await Promise.all(batch.map((name) => newFile(top, name, canRead)))
    for (const [index, file] of read.entries()) {
      const path = fromFolder(batch[index] ?? '')
      files.push({ ...addition, ...file, path, shownBy: joinShellWords(['cat', path]) })
      room -= Buffer.byteLength(file.diff)
    }
  }
  return { files, isListCut }
}

const addition = { kind: 'add', deletions: 0, before: null, after: null } as const

type NewFileDiff = Pick<ChangedFile, 'additions' | 'diff' | 'isWhole'>

async function newFile(top: string, name: string, canRead: boolean): Promise<NewFileDiff> {
  if (name.endsWith('/')) return withoutLines('It is a repository of its own, whose files are not looked at.', true)
  if (!canRead) return withoutLines('It is not read here: there are too many new files.', false)
  const opening = await readBeginning(top, name, maxFileBytes)
  if (opening === null) return withoutLines('It cannot be read.', false)
  switch (opening.kind) {
    case 'noText':
      return withoutLines(`It is no text, and ${opening.sizeBytes} bytes long.`, true)
    case 'link':
      return { additions: 1, isWhole: true, diff: `… It is a link (mode 120000).\n${added([opening.target])}` }
    case 'text':
      return ofText(opening.text, opening.isWhole)
  }
}

function withoutLines(remark: string, isWhole: boolean): NewFileDiff {
  return { additions: 0, isWhole, diff: remarkLines([remark]) }
}

function ofText(text: string, isWhole: boolean): NewFileDiff {
  if (text === '') return withoutLines(isWhole ? 'It is empty.' : 'It has a line that is too long.', isWhole)
  const lines = text.replace(/\n$/, '').split('\n')
  const rest = isWhole ? '' : remarkLines([`Only its beginning is here: it is longer than ${maxFileBytes / 1024} KiB.`])
  return { additions: lines.length, isWhole, diff: `${rest}${added(lines)}` }
}

function added(lines: readonly string[]): string {
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}\n`
}

type FileBeginning =
  /** `isWhole`: the file is not longer. */
  | { readonly kind: 'text'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'noText'; readonly sizeBytes: number }

/**
 * Reads the beginning of a file below a folder, or the target of a link there. Returns null for anything else, for an
 * unreadable file, and for a path through a link: it may lead to a file of another folder.
 */
export async function readBeginning(folder: string, name: string, maxBytes: number): Promise<FileBeginning | null> {
  const path = join(folder, name)
  try {
    const [here, parent] = [await realpath(folder), await realpath(dirname(path))]
    if (parent !== dirname(join(here, name))) return null
    if ((await lstat(path)).isSymbolicLink()) return { kind: 'link', target: await readlink(path) }
    // Without blocking, because a pipe may have replaced the file.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    // Resolved from the open file, because a folder can become a link at any moment.
    const opened = await realpath(process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : path)
    return opened === join(here, name) ? await beginningOf(file, maxBytes) : null
  } catch {
    return null
  }
}

async function beginningOf(file: FileHandle, maxBytes: number): Promise<FileBeginning | null> {
  const stats = await file.stat()
  if (!stats.isFile()) return null
  const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(stats.size, maxBytes)), 0, null, 0)
  const bytes = buffer.subarray(0, bytesRead)
  if (bytes.includes(0)) return { kind: 'noText', sizeBytes: stats.size }
  const isWhole = stats.size <= maxBytes
  return { kind: 'text', text: (isWhole ? bytes : wholeLines(bytes)).toString('utf8'), isWhole }
}

/** Returns bytes up to their last line end. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
}
