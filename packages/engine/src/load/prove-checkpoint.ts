import { isDeepStrictEqual } from 'node:util'
import { type TimeSlices, timeSlices } from '@parley/host'
import {
  type Checkpoint,
  type Files,
  type OpenFile,
  readCheckpoint,
  removeQuietly,
  type SessionPaths,
  StorageError,
  scanLog,
  writeCheckpoint,
} from '@parley/journal'
import type { ConversationId, ConversationState, ServerNotice } from '@parley/protocol'
import { contentOf } from '../conversation/checkpoint-content.ts'
import { beginFold, lossReports } from './begin-fold.ts'

/** Time between two slices of the proof, so that it takes less than half of a processor. */
const pauseMs = 10

interface Proof {
  readonly files: Files
  readonly paths: SessionPaths
  readonly conversationId: ConversationId
  readonly checkpoint: Checkpoint
  /** Time to wait first, ms: the client that opened the conversation is served before. */
  readonly delayMs: number
  /** Called when the log does not fold to the checkpoint, after the checkpoint was deleted. */
  readonly onWrong: () => void
}

/**
 * Folds a log from its beginning up to the checkpoint that it was opened with, beside other work, and compares. A wrong
 * checkpoint is deleted, a right one is not proven again. Returns a function that stops the work.
 */
export function proveCheckpoint(proof: Proof): () => void {
  const stop = new AbortController()
  // Released when the proof begins, since a checkpoint may have many megabytes.
  let open: Proof | null = proof
  const begin = setTimeout(() => {
    // A log that cannot be read is reported where it is needed.
    if (open !== null) prove(open, stop.signal).catch(() => undefined)
    open = null
  }, proof.delayMs).unref()
  return () => {
    clearTimeout(begin)
    stop.abort()
  }
}

async function prove({ files, paths, conversationId, checkpoint, onWrong }: Proof, signal: AbortSignal): Promise<void> {
  const { mark } = checkpoint
  const log = files.open(paths.log, 'read')
  try {
    const slices = stoppable(signal)
    const isRight = await foldsTo(checkpoint, { files, paths, conversationId, log, slices })
    if (!isRight) {
      removeQuietly(files, paths.checkpoint)
      onWrong()
      return
    }
    // A newer one was written meanwhile, unless the file still holds this content.
    const now = await readCheckpoint(files, paths.checkpoint, { log, key: checkpoint.key })
    if (now !== null && !now.proven && now.mark.prefixCrc === mark.prefixCrc && now.mark.seq === mark.seq)
      await writeCheckpoint(files, paths.checkpoint, { ...now, proven: true, slices })
  } catch (error) {
    if (!(error instanceof StorageError) && !signal.aborted) throw error
  } finally {
    files.close(log)
  }
}

/** Returns slices that throw once the conversation is closed. */
function stoppable(signal: AbortSignal): TimeSlices {
  const slices = timeSlices(pauseMs)
  return {
    isOver: slices.isOver,
    async next() {
      await slices.next()
      signal.throwIfAborted()
    },
  }
}

interface Folding {
  readonly files: Files
  readonly paths: SessionPaths
  readonly conversationId: ConversationId
  readonly log: OpenFile
  readonly slices: TimeSlices
}

/** Tells if the whole log folds to a checkpoint, damage and losses included. */
async function foldsTo(
  { mark, parts }: Checkpoint,
  { files, paths, conversationId, log, slices }: Folding,
): Promise<boolean> {
  const { fold, reader, lines } = beginFold({ files, paths, conversationId })
  using _open = lines
  const scan = await scanLog(files, log, {
    visit(line) {
      fold.take(line)
      return !reader.isLeftOut(line.seq)
    },
    reports: lossReports,
    toPlace: mark.endPlace,
    slices,
  })
  const { state, view, checkpointPlaces } = fold
  const { prefixCrc, named, uncheckedSeqs, tally, bodyStart } = scan
  const damage = tally.damage.map((one) => ({ ...one, byteOffset: one.byteOffset - bodyStart }))
  const found = { prefixCrc, named, uncheckedSeqs, damage }
  const { seq: _seq, crc: _crc, linePlace: _line, endPlace: _end, ...claimed } = mark
  const folded = contentOf({ state, view, checkpointPlaces, logVersion: reader.version })
  return folded !== null && isDeepStrictEqual(found, claimed) && (await areSame(folded, parts, slices))
}

/** Tells if parts equal the parts of a checkpoint; the order of keys may differ. */
async function areSame(folded: Iterable<string>, parts: readonly Buffer[], slices: TimeSlices): Promise<boolean> {
  let count = 0
  for (const text of folded) {
    const claimed = parts[count]?.toString()
    if (claimed === undefined || (text !== claimed && !isDeepStrictEqual(JSON.parse(text), JSON.parse(claimed))))
      return false
    count += 1
    if (slices.isOver()) await slices.next()
  }
  return count === parts.length
}

interface ProvableConversation {
  readonly prove: ((onWrong: () => void) => () => void) | null
  readonly dispose: () => void
  readonly state: ConversationState
}

/** Begins the proof of the checkpoint, if there is one. Returns a function that ends the proof and disposes of the parts. */
export function startProof(
  { prove, dispose, state }: ProvableConversation,
  notify: (notice: ServerNotice) => void,
): () => void {
  const stop = prove?.(() => notify(wrongCheckpoint(state.core.meta.conversationId)))
  return () => {
    stop?.()
    dispose()
  }
}

function wrongCheckpoint(conversationId: ConversationId): ServerNotice {
  const message =
    'The checkpoint that this conversation was opened with did not agree with its log, and was deleted. What is shown may be wrong: close the conversation and resume it, and the log is read from its beginning.'
  return { level: 'warning', code: 'wrongCheckpoint', message, conversationId }
}
