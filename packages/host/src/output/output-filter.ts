/** Filter that output passes before anything is kept or reported: it may change bytes and hold some back. */
export interface OutputFilter {
  /** Returns what may be passed on now. `chunk` and the result are valid only during the call. */
  push(chunk: Buffer): Buffer
  /** Returns what was held back. `cut`: not all of the output has come, such as of a killed command. */
  end(cut: boolean): Buffer
}

export interface FilteredOutput {
  take(chunk: Buffer): void
  /** Passes on what was held back; further calls do nothing. `cut`: see `OutputFilter`. */
  end(cut: boolean): void
}

/** Passes on the result of a filter; without a filter, everything. */
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
