/** What output goes through before anything is kept of it or told: it may change and hold back, and hands out the rest at the end. */
export interface OutputFilter {
  /** What may be passed on now. `chunk` is valid only during the call, and so is what is returned. */
  push(chunk: Buffer): Buffer
  /**
   * What was held back. Nothing is pushed any more. `cut`: not everything that was to come has come, as of a command
   * that was killed.
   */
  end(cut: boolean): Buffer
}

export interface FilteredOutput {
  take(chunk: Buffer): void
  /** Does nothing the second time. `cut`: see `OutputFilter`. */
  end(cut: boolean): void
}

/** Passes on what a filter lets through; without a filter, everything. */
export function filterOutput(filter: OutputFilter | undefined, onChunk: (chunk: Buffer) => void): FilteredOutput {
  if (filter === undefined) return { take: onChunk, end: () => undefined }
  let ended = false
  const pass = (chunk: Buffer) => {
    if (chunk.length > 0) onChunk(chunk)
  }
  return {
    take(chunk) {
      if (!ended) pass(filter.push(chunk))
    },
    end(cut) {
      if (ended) return
      ended = true
      pass(filter.end(cut))
    },
  }
}
