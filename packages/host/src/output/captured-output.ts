import { type OutputReader, readFifo } from '../channels/output-reader.ts'
import type { CommandSpec, OutputSnapshot, SpoolEnd, StartOptions } from '../run/command.ts'
import { filterOutput } from './output-filter.ts'
import { createOutputWindow } from './output-window.ts'
import { createLateSpool } from './spool.ts'

const defaultWindowBytes = 128 * 1024

/** What a command says, on its way to memory, to the spool and to the listener. */
export interface CommandOutput {
  snapshot(): OutputSnapshot
  /** Reads `fd`, which it then owns; `onEnd` when nobody can write any more. */
  read(fd: number, onEnd: () => void): void
  /** True while nobody can write: before `read` and after `onEnd`. */
  isEnded(): boolean
  /** Leaves unread what is still in the pipe. `killed`: whoever wrote was ended in the midst of it. */
  close(killed: boolean): SpoolEnd | undefined
}

export function createCommandOutput(spec: CommandSpec, onOutput: StartOptions['onOutput']): CommandOutput {
  const window = createOutputWindow(spec.headBytes ?? defaultWindowBytes, spec.tailBytes ?? defaultWindowBytes)
  const spool = spec.spool === undefined ? undefined : createLateSpool(spec.spool)
  let ended = true
  let reader: OutputReader | undefined
  const filtered = filterOutput(spec.filter, (chunk) => {
    window.push(chunk)
    spool?.write(chunk)
    onOutput?.(chunk, window.totalBytes())
  })
  return {
    snapshot: window.snapshot,
    read(fd, onEnd) {
      ended = false
      reader = readFifo(fd, {
        onChunk: filtered.take,
        onEnd() {
          ended = true
          onEnd()
        },
      })
    },
    isEnded: () => ended,
    close(killed) {
      reader?.close()
      filtered.end(killed || !ended)
      return spool?.close()
    },
  }
}
