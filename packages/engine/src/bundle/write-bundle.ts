import { timeSlices } from '@parley/host'
import {
  decodeLine,
  encodeHeader,
  type Files,
  type LogLine,
  LogView,
  newHeader,
  type SessionPaths,
  StorageError,
  textOf,
  writeBundle as writeArchive,
} from '@parley/journal'
import { type ConversationId, initialState, type ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { createLogReader } from '../conversation/journal.ts'
import { createLogFold, type LogFold } from '../conversation/log-fold.ts'
import { noConversation, rejection } from '../replies/rejection.ts'
import { type BundleRules, bundledLine, bundledText, isPiece, namedSideFiles } from './bundled-event.ts'
import { createBundledFiles } from './bundled-files.ts'

export interface BundlePorts {
  readonly files: Files
  readonly redaction: Redaction
  /** Name and version of this program. */
  readonly program: string
  /** ms since the epoch. */
  readonly now: () => number
}

export interface BundleSource {
  readonly conversationId: ConversationId
  readonly paths: SessionPaths
  readonly withoutOutputs: boolean
}

type Contents = ResultOf<'bundle/describe'>

/** Lists the content of a bundle of a conversation. Reads the log and its side files, and writes nothing. */
export async function describeBundle(source: BundleSource, ports: BundlePorts): Promise<Contents> {
  using view = openLog(source, ports.files)
  return (await prepareBundle(view, source, ports)).contents
}

/** Writes a conversation to a bundle at an absolute path where no file is. Rejects with `storageFailed`. */
export async function writeBundle(
  source: BundleSource,
  file: string,
  ports: BundlePorts,
): Promise<ResultOf<'bundle/write'>> {
  const { files, program, now } = ports
  using view = openLog(source, files)
  const prepared = await prepareBundle(view, source, ports)
  const { contents } = prepared
  try {
    const { sizeBytes } = await writeArchive(files, file, {
      log: prepared.log(),
      sideFiles: () => prepared.sideFiles(),
      about: () => {
        const { seq, digest } = prepared.state().core
        const { conversationId, name, missing } = contents
        const { withoutOutputs } = source
        return { program, createdAtMs: now(), conversationId, name, seq, digest, withoutOutputs, missing }
      },
    })
    return { ...contents, file, sizeBytes, digest: prepared.state().core.digest }
  } catch (error) {
    throw notWritten(file, error)
  }
}

/** Opens the log of a stored conversation. Throws `conversationNotFound`. */
export function openLog({ conversationId, paths }: BundleSource, files: Files): LogView {
  if (files.look(paths.log) === null) throw noConversation(conversationId)
  return LogView.open(files, paths.log)
}

/** Prepares a bundle with known side files, before anything of it is written. */
async function prepareBundle(view: LogView, source: BundleSource, { files, redaction }: BundlePorts) {
  const { conversationId, paths, withoutOutputs } = source
  const header = view.header()
  const sideFiles = createBundledFiles(files, paths.sideFiles, redaction)
  const completed = new Set<string>()
  const rules: BundleRules = { redact: redaction.text, completed, withoutOutputs }
  const newFold = () => createLogFold({ state: initialState(conversationId) }, createLogReader(header))
  let fold = newFold()
  const lines = { view, fold, completed, textOf: (line: LogLine) => bundledText(line, rules, sideFiles) }
  const { state, named, ...counted } = await readContents(lines)
  const { meta, seq, counts } = state.core
  const contents: Contents = {
    ...{ conversationId, seq, cwd: meta.cwd, name: redaction.text(meta.name ?? meta.title) },
    ...{ turns: counts.turns, sideFiles: new Set(sideFiles.noted.values()).size },
    ...counted,
    missing: named.filter((ref) => !sideFiles.noted.has(ref)),
  }
  return {
    contents,
    /** Yields the bytes of the log as the bundle has it. */
    *log() {
      fold = newFold()
      yield Buffer.from(`${encodeHeader(header ?? newHeader(conversationId))}\n`)
      for (const line of view.lines()) {
        if (line.seq > seq) return
        const written = bundledLine(line, rules, sideFiles)
        fold.take(written)
        yield Buffer.concat([written.bytes, Buffer.from('\n')])
      }
    },
    *sideFiles() {
      const written = new Set<string>()
      for (const [ref, bundled] of sideFiles.noted) {
        if (written.has(bundled)) continue
        written.add(bundled)
        yield { ref: bundled, content: sideFiles.content(ref) }
      }
    },
    /** Returns the state after the lines that `log` has yielded. */
    state: () => fold.state,
  }
}

interface BundledLines {
  readonly view: LogView
  readonly fold: LogFold
  /** Set of the ids of completed items, which is filled. */
  readonly completed: Set<string>
  readonly textOf: (line: LogLine) => string
}

/** Counts the lines of a log; `named` has the references in fields for side files. */
async function readContents({ view, fold, completed, textOf: bundled }: BundledLines) {
  const items = new Map<string, number>()
  const named = new Set<string>()
  const counts = { events: 0, changedEvents: 0 }
  const slices = timeSlices()
  for (const line of view.lines()) {
    const event = fold.take(line)?.event
    counts.events += 1
    if (event?.type === 'item.completed') {
      completed.add(event.item.id)
      items.set(event.item.type, (items.get(event.item.type) ?? 0) + 1)
    }
    const text = bundled(line)
    if (!isPiece(line.type) && text !== textOf(line)) counts.changedEvents += 1
    for (const ref of namedSideFiles(decodeLine(text)?.event)) named.add(ref)
    if (slices.isOver()) await slices.next()
  }
  return { ...counts, items: Object.fromEntries(items), state: fold.state, named: [...named] }
}

function notWritten(file: string, error: unknown): unknown {
  if (!(error instanceof StorageError)) return error
  const { code } = error
  const reason =
    code === 'EEXIST' ? 'a file is there already' : code === 'ENOENT' ? 'its folder does not exist' : error.message
  return rejection('storageFailed', `The bundle ${file} was not written: ${reason}.`, { errno: code })
}
