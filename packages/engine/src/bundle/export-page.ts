import { timeSlices } from '@parley/host'
import type { LogLine, LogView } from '@parley/journal'
import { initialState, type ResultOf } from '@parley/protocol'
import { createLogReader } from '../conversation/journal.ts'
import { createLogFold } from '../conversation/log-fold.ts'
import { readPage } from '../read/read-conversation.ts'
import { shownState } from '../replies/wire-limits.ts'
import { bundledLine } from './bundled-event.ts'
import { createBundledFiles } from './bundled-files.ts'
import { type BundlePorts, type BundleSource, openLog } from './write-bundle.ts'

const defaultLimit = 100

/**
 * Reads a page of a conversation as a bundle would have it: its newest items with the state, or items before a seq without
 * it. Throws `conversationNotFound`.
 */
export async function exportPage(
  source: BundleSource,
  { before, limit = defaultLimit }: { readonly before: number | undefined; readonly limit: number | undefined },
  { files, redaction }: BundlePorts,
): Promise<ResultOf<'conversation/export'>> {
  const { conversationId, paths, withoutOutputs } = source
  using view = openLog(source, files)
  const sideFiles = createBundledFiles(files, paths.sideFiles, redaction)
  const rules = { redact: redaction.text, completed: new Set<string>(), withoutOutputs }
  const bundled = (line: LogLine) => bundledLine(line, rules, sideFiles)
  const whole = before === undefined ? await readWhole(view, source, bundled) : {}
  const page = await readPage({ files, log: paths.log, shown: bundled }, { before: before ?? null, after: 0, limit })
  return { conversationId, ...whole, ...page }
}

/** Folds all of a log that can be read, and counts the events that cannot. */
async function readWhole(view: LogView, { conversationId }: BundleSource, bundled: (line: LogLine) => LogLine) {
  const fold = createLogFold({ state: initialState(conversationId) }, createLogReader(view.header()))
  const slices = timeSlices()
  let newest = 0
  let damagedEvents = 0
  for (const line of view.lines()) {
    // Numbers are dense, so a gap is what damage took.
    damagedEvents += Math.max(0, line.seq - newest - 1)
    newest = Math.max(newest, line.seq)
    fold.take(bundled(line))
    if (slices.isOver()) await slices.next()
  }
  return { core: shownState(fold.state).core, damagedEvents }
}
