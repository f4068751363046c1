import { createOutputWindow, type OutputSnapshot } from './output-window.ts'
import { createLateSpool, type SpoolEnd, type SpoolSpec } from './spool.ts'

const defaultWindowBytes = 128 * 1024

export interface CaptureSpec {
  readonly spool?: SpoolSpec
  /** Bytes of output kept in memory from the start; default 128 KiB. */
  readonly headBytes?: number
  /** Bytes of output kept in memory from the end; default 128 KiB. */
  readonly tailBytes?: number
  /** Filter of this command alone. Memory, spool and listener get its result, and all counts are of its result. */
  readonly filter?: OutputFilter
}

/** Called with every byte in true order. `chunk` is valid only during the call; `totalBytes` includes it. Must not throw. */
export type OutputListener = (chunk: Buffer, totalBytes: number) => void

/** Output of a command on its way through the filter to memory, spool and listener. */
export interface CapturedOutput {
  take(chunk: Buffer): void
  snapshot(): OutputSnapshot
  /** Ends the filter and the spool. `cut`: not all of the output has come, such as of a killed command. */
  close(cut: boolean): SpoolEnd | undefined
  /** Removes the spool; output goes on to memory and listeners. */
  discardSpool(): void
  /** Adds a listener to what comes from now on. Returns a function that takes it away. */
  listen(onOutput: OutputListener): () => void
}

export function captureOutput(spec: CaptureSpec, onOutput: OutputListener | undefined): CapturedOutput {
  const window = createOutputWindow(spec.headBytes ?? defaultWindowBytes, spec.tailBytes ?? defaultWindowBytes)
  const spool = spec.spool === undefined ? undefined : createLateSpool(spec.spool)
  const listeners = new Set<OutputListener>(onOutput === undefined ? [] : [onOutput])
  const filtered = filterOutput(spec.filter, (chunk) => {
    window.push(chunk)
    spool?.write(chunk)
    for (const listener of [...listeners]) listener(chunk, window.totalBytes())
  })
  return {
    take: filtered.take,
    snapshot: window.snapshot,
    close(cut) {
      filtered.end(cut)
      return spool?.close()
    },
    discardSpool: () => spool?.discard(),
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Filter that output passes before anything is kept or reported: it may change bytes and hold some back. */
export interface OutputFilter {
  /** Returns what may be passed on now. `chunk` and the result are valid only during the call. */
  push(chunk: Buffer): Buffer
  /** Returns the bytes that were held back. `cut`: output is missing, such as after a kill. */
  end(cut: boolean): Buffer
}

export interface FilteredOutput {
  take(chunk: Buffer): void
  /** Passes on the bytes that were held back; further calls do nothing. `cut`: see `OutputFilter`. */
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
