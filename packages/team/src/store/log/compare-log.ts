import { join } from 'node:path'
import type { BadFile, Comparison, Extent, LocalCopy } from '@parley/engine/shared-store'
import { readFile, readSpan, STORE_LOST, StorageError } from '@parley/journal'
import { type AckMark, readMark } from './ack-mark.ts'
import { bytesOfMessage, type FetchPorts } from './fetch-log.ts'
import { atBeginning, type LogMessage } from './log-subject.ts'
import { type LogTally, linesIn, tallyLog } from './log-tally.ts'
import { contentName, isNamedBy, namedContents, sideFilesOf } from './named-contents.ts'

const chunkBytes = 1024 * 1024
const sideFileName = /^sha256-[0-9a-f]{64}$/

/** Log of this machine, read while it is compared. */
interface LogHere {
  readonly sizeBytes: number
  read(span: { readonly offset: number; readonly length: number }): Buffer
}

type ComparedLog = Omit<Comparison, 'isListed'>
type Content = Omit<ComparedLog, 'isCopy' | 'lostBytes' | 'unsent'>

/** Place at which the log here and the log of the store differ. */
interface Parting {
  /** First byte that is not the same, also where one of the logs ends there. */
  readonly byte: number
  /** Lines before it that both have. */
  readonly lines: number
}

/**
 * Compares the log and files of a conversation in a store with the copy here. Rejects with `STORE_LOST` where a part is
 * gone.
 */
export async function compareLog(copy: LocalCopy, ports: FetchPorts): Promise<ComparedLog> {
  const { files } = ports
  const isCopy = files.look(copy.acked) !== null
  if (files.look(copy.log) === null) {
    const { content } = await compare(null, copy, ports)
    return { ...content, here: null, isCopy, unsent: null, lostBytes: 0 }
  }
  // Before the store is read: a server may write meanwhile.
  const mark = readMark(files, copy.acked)
  const file = files.open(copy.log, 'read')
  try {
    const { sizeBytes } = files.stat(file)
    const log: LogHere = { sizeBytes, read: (span) => readSpan(files, file, span) }
    const { content, parting } = await compare(log, copy, ports)
    if (mark?.store !== ports.store) return { ...content, isCopy, unsent: null, lostBytes: 0 }
    const unsent = unsentOf(mark, content, parting)
    const partsAtLine = unsent === null ? content.partsAtLine : null
    return { ...content, partsAtLine, isCopy, unsent, lostBytes: lostOf(mark, content) }
  } finally {
    files.close(file)
  }
}

/**
 * Returns the number of acknowledged bytes that the store lacks; 0 where the store has no message, since the
 * conversation may be deleted.
 */
function lostOf({ bytes }: AckMark, { stored }: Content): number {
  return stored === null ? 0 : Math.max(0, bytes - stored.bytes)
}

/** Returns the lines here behind the acknowledged ones that the store lacks; null without such lines. */
function unsentOf({ bytes }: AckMark, { stored, here }: Content, parting: Parting): Comparison['unsent'] {
  if (stored === null || here === null || parting.byte < bytes || parting.byte >= here.bytes) return null
  const { lines } = parting
  return { fromLine: lines + 1, lines: here.lines - lines, bytes: here.bytes - parting.byte }
}

async function compare(
  log: LogHere | null,
  copy: LocalCopy,
  ports: FetchPorts,
): Promise<{ readonly content: Content; readonly parting: Parting }> {
  const stored = await readStored(log, copy, ports)
  const kept = await checkObjects(stored?.files ?? new Set(), ports)
  const own = log === null ? null : sideFilesHere(copy, ports)
  const named = [...(stored?.filesHere ?? [])].filter((name) => kept.sound.has(name))
  const lacking = own === null ? [] : named.filter((name) => !own.sound.has(name) && !own.bad.has(name))
  const badHere = [...(own?.bad ?? []), ...lacking].map((name): BadFile => ({ name, where: 'here' }))
  const content = {
    stored: stored === null ? null : extentOf(stored.tally, kept.sound.size),
    here: log === null ? null : extentOf(tallyHere(log), own?.sound.size ?? 0),
    partsAtLine: stored?.parted == null ? null : stored.parted.lines + 1,
    badFiles: [
      ...[...kept.bad, ...(await badContents(stored, copy, ports))].map((name): BadFile => ({ name, where: 'store' })),
      ...badHere,
    ],
  }
  const end = { byte: stored?.tally.bytes ?? 0, lines: stored?.tally.lines ?? 0 }
  return { content, parting: stored?.parted ?? end }
}

function extentOf(tally: LogTally, sideFiles: number): Extent {
  const { bytes, lines, damagedLines } = tally
  return { bytes, lines, damagedLines, sideFiles, hash: tally.hash() }
}

interface Stored {
  readonly tally: LogTally
  readonly files: Set<string>
  /** Side files that are named up to where the log here ends or is another one. */
  readonly filesHere: Set<string>
  /** Hashes of contents that its lines name. */
  readonly contents: Set<string>
  /** Place from which the log here has something else; null where one log is the beginning of the other. */
  parted: Parting | null
}

/** Reads the messages of a conversation beside the log that is here; resolves to null without messages. */
async function readStored(log: LogHere | null, copy: LocalCopy, ports: FetchPorts): Promise<Stored | null> {
  const { subject, objects, name } = ports
  const newest = await subject.last()
  if (newest === null || newest.to === 0) return null
  const [files, filesHere, contents] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const stored: Stored = { tally: tallyLog(), files, filesHere, contents, parted: null }
  for await (const message of subject.read(atBeginning, newest)) {
    if (message.from !== stored.tally.bytes) throw new StorageError({ code: STORE_LOST, operation: 'read', path: name })
    const named = [...message.files, ...(await sideFilesOf(message, objects))]
    for (const file of named) files.add(file)
    const bytes = await bytesOf(message, stored, ports)
    for (const hash of await namedContents(copy.contents, bytes, objects.get)) contents.add(hash)
    if (log !== null) stored.parted ??= partingIn(log, bytes, stored.tally)
    if (stored.parted === null && message.to <= (log?.sizeBytes ?? 0)) for (const file of named) filesHere.add(file)
    stored.tally.add(bytes)
  }
  return stored
}

async function bytesOf(message: LogMessage, { files }: Stored, ports: FetchPorts): Promise<Buffer> {
  if (message.object !== null) files.add(message.object)
  const bytes = await bytesOfMessage(message, ports)
  if (bytes === null) throw new StorageError({ code: STORE_LOST, operation: 'read', path: ports.name })
  return bytes
}

/** Returns where the log here differs from a message; null where all that is here is the same. */
function partingIn(log: LogHere, bytes: Buffer, before: LogTally): Parting | null {
  const length = Math.max(0, Math.min(bytes.length, log.sizeBytes - before.bytes))
  const here = log.read({ offset: before.bytes, length })
  const there = bytes.subarray(0, here.length)
  if (here.equals(there)) return null
  const at = here.findIndex((byte, index) => byte !== there[index])
  return { byte: before.bytes + at, lines: before.lines + linesIn(there.subarray(0, at)) }
}

function tallyHere(log: LogHere): LogTally {
  const tally = tallyLog()
  for (let offset = 0; offset < log.sizeBytes; offset += chunkBytes)
    tally.add(log.read({ offset, length: Math.min(chunkBytes, log.sizeBytes - offset) }))
  return tally
}

interface Checked {
  /** Side files with the content that they are named by. */
  readonly sound: ReadonlySet<string>
  readonly bad: ReadonlySet<string>
}

/** Reads all objects of a conversation. Long lines are among them, and are no side files. */
async function checkObjects(names: ReadonlySet<string>, { objects }: FetchPorts): Promise<Checked> {
  const sound = new Set<string>()
  const bad = new Set<string>()
  for (const name of names) {
    const content = await objects.get(name)
    if (content === null || !isNamedBy(name, content)) bad.add(name)
    else if (sideFileName.test(name)) sound.add(name)
  }
  return { sound, bad }
}

/**
 * Resolves to the contents of files that are damaged in the store, or missing there while this machine has them. One that
 * neither has was too old when it was sent.
 */
async function badContents(
  stored: Stored | null,
  { contents }: LocalCopy,
  { objects }: FetchPorts,
): Promise<readonly string[]> {
  const bad: string[] = []
  for (const hash of stored?.contents ?? []) {
    const name = contentName(hash)
    const content = await objects.get(name)
    const isSound = content === null ? contents.read(hash) === null : isNamedBy(name, content)
    if (!isSound) bad.push(name)
  }
  return bad
}

function sideFilesHere({ sideFiles }: LocalCopy, { files }: FetchPorts): Checked {
  const names = files.look(sideFiles) === null ? [] : files.list(sideFiles).filter((name) => sideFileName.test(name))
  const isSound = (name: string) => isNamedBy(name, readFile(files, join(sideFiles, name)) ?? Buffer.alloc(0))
  const sound = new Set(names.filter(isSound))
  return { sound, bad: new Set(names.filter((name) => !sound.has(name))) }
}
