import { timeSlices } from '@parley/host'
import { type EventLog, type LogMark, StorageError } from '@parley/journal'

/** Sizes and times for writing and proving checkpoints. */
export interface CheckpointLimits {
  /** Version of program and fold; a checkpoint of another is not read. */
  readonly key: string
  /** Size of a log below which reading all of it takes no time worth a checkpoint. */
  readonly leastBytes: number
  /** Growth of the log after which the next one is written. */
  readonly growthBytes: number
  /** Time after an opening until its checkpoint is compared with the whole log, ms. */
  readonly proofDelayMs: number
}

/** Limits of every server; a log of 4 MiB is read in about 50 ms. */
export const checkpointLimits = { leastBytes: 1024 * 1024, growthBytes: 4 * 1024 * 1024, proofDelayMs: 2000 } as const

/** Content of a checkpoint in parts, made as they are taken, with the number of the newest event in it. */
export interface Settled {
  readonly parts: Iterable<string>
  readonly seq: number
}

/** Writes the checkpoints of one log: after a turn, where it has grown by enough, and as it is closed. */
export interface CheckpointWriter {
  afterTurn(log: EventLog, content: () => Settled | null): void
  atClose(log: EventLog, content: () => Settled | null): Promise<void>
}

/** Growth of a log in sizes of its checkpoint after which the next is written, so that writing them costs little. */
const growthInSizes = 8

export function createCheckpointWriter(
  path: string,
  { key, leastBytes, growthBytes }: CheckpointLimits,
  /** Size of the log at its newest checkpoint; 0 without one. */
  startBytes = 0,
): CheckpointWriter {
  let lastBytes = startBytes
  let checkpointBytes = 0
  let isPlanned = false
  /** Ends with the newest writing; one of the same log at a time, so that the newest stays. */
  let last = Promise.resolve()

  async function write(log: EventLog, settled: Settled | null): Promise<void> {
    const mark = log.mark()
    // Another event may have been recorded while the content was made, or since the sync: a loss of power would leave
    // zeros in the place of its line, and a file of the size and times that the checkpoint knows.
    if (settled === null || mark === null || mark.seq !== settled.seq || !log.isSynced) return
    const parts = await encoded(log, mark, settled.parts)
    if (parts === null) return
    lastBytes = log.sizeBytes
    checkpointBytes = await log.writeCheckpoint(path, { key, parts, mark })
  }

  function writeNext(log: EventLog, content: () => Settled | null): Promise<void> {
    const write = () => writeSynced(log, content)
    last = last.then(write, write)
    return last
  }

  /** Writes a checkpoint of the synced events. A failure costs only time at the next opening. */
  async function writeSynced(log: EventLog, content: () => Settled | null): Promise<void> {
    try {
      await log.synced()
      await write(log, content())
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    }
  }

  return {
    afterTurn(log, content) {
      const least = Math.max(growthBytes, growthInSizes * checkpointBytes)
      if (isPlanned || log.sizeBytes < leastBytes || log.sizeBytes - lastBytes < least) return
      isPlanned = true
      void writeNext(log, content).finally(() => {
        isPlanned = false
      })
    },
    async atClose(log, content) {
      await last
      if (log.sizeBytes < leastBytes || log.sizeBytes === lastBytes) return
      await writeNext(log, content)
    },
  }
}

/** Encodes the content up to a mark, beside other work. Null when an event was recorded before the end. */
async function encoded(log: EventLog, { seq }: LogMark, texts: Iterable<string>): Promise<readonly Buffer[] | null> {
  const slices = timeSlices()
  const parts: Buffer[] = []
  for (const text of texts) {
    parts.push(Buffer.from(text))
    if (!slices.isOver()) continue
    await slices.next()
    if (log.mark()?.seq !== seq) return null
  }
  return parts
}
