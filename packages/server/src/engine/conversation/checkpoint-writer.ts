import { type EventLog, StorageError } from '@parley/journal'

/** Sizes and times by which checkpoints are written and proven. */
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

/** Content of a checkpoint, with the number of the newest event in it. */
export interface Settled {
  readonly content: string
  readonly seq: number
}

/** Writes the checkpoints of one log: after a turn, where it has grown by enough, and as it is closed. */
export interface CheckpointWriter {
  afterTurn(log: EventLog, content: () => Settled | null): void
  atClose(log: EventLog, content: () => Settled | null): Promise<void>
  /** Number of checkpoints written so far. */
  readonly written: number
}

/** Growth of a log in sizes of its checkpoint after which the next is written, so that writing them costs little. */
const growthInSizes = 8

export function createCheckpointWriter(
  path: string,
  { key, leastBytes, growthBytes }: CheckpointLimits,
  /** Size of the log that the newest checkpoint is of; 0 for none. */
  startBytes = 0,
): CheckpointWriter {
  let lastBytes = startBytes
  let checkpointBytes = 0
  let written = 0
  let isPlanned = false

  function write(log: EventLog, settled: Settled | null): void {
    const mark = log.mark()
    // Another event may have been recorded while the content was made, or since the sync: a loss of power would leave
    // zeros in the place of its line, and a file of the size and times that the checkpoint knows.
    if (settled === null || mark === null || mark.seq !== settled.seq || !log.isSynced) return
    lastBytes = log.sizeBytes
    checkpointBytes = log.writeCheckpoint(path, { key, content: settled.content, mark })
    written += 1
  }

  /** Writes a checkpoint of what is on disk by now. A failure costs only time at the next opening. */
  async function writeSynced(log: EventLog, content: () => Settled | null): Promise<void> {
    try {
      await log.synced()
      write(log, content())
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    }
  }

  return {
    get written() {
      return written
    },
    afterTurn(log, content) {
      const least = Math.max(growthBytes, growthInSizes * checkpointBytes)
      if (isPlanned || log.sizeBytes < leastBytes || log.sizeBytes - lastBytes < least) return
      isPlanned = true
      void writeSynced(log, content).finally(() => {
        isPlanned = false
      })
    },
    async atClose(log, content) {
      if (log.sizeBytes < leastBytes || log.sizeBytes === lastBytes) return
      await writeSynced(log, content)
    },
  }
}
