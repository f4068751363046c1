import type { SpoolEnd, SpoolSpec } from './command.ts'
import { openSpool, type Spool } from './spool.ts'

export interface LateSpool {
  write(chunk: Buffer): void
  /** Undefined when there was too little for a file. */
  close(): SpoolEnd | undefined
}

/** A spool that is made when there is more than `afterBytes` to put in it: most commands say less than a file costs. */
export function createLateSpool(spec: SpoolSpec): LateSpool {
  const { afterBytes = 0 } = spec
  let held: Buffer[] = []
  let heldBytes = 0
  let spool: Spool | undefined
  function open(): Spool {
    const opened = openSpool(spec)
    for (const chunk of held) opened.write(chunk)
    held = []
    return opened
  }
  return {
    write(chunk) {
      if (spool === undefined && heldBytes + chunk.length <= afterBytes) {
        held.push(Buffer.from(chunk))
        heldBytes += chunk.length
        return
      }
      spool ??= open()
      spool.write(chunk)
    },
    close: () => spool?.close(),
  }
}
