import type { LocalCopy, TakenKind } from '@parley/engine/shared-store'
import { STORE_LOST, StorageError } from '@parley/journal'
import { type AckMark, emptyMark } from './ack-mark.ts'
import { type FetchPorts, fetchLog } from './fetch-log.ts'
import { type ClaimName, epochOf, OutrunError } from './log-subject.ts'

interface LogFence {
  readonly claim: ClaimName
  readonly kind?: TakenKind
  /** Mark of a copy that was brought up to date before it was claimed: the log may have grown since. */
  readonly fetched?: AckMark | null
}

/**
 * Brings the copy of a log up to date and stores an empty message behind it, after which no earlier claim writes.
 * Resolves to the mark there; to null where a later claim has written, as while this process was paused.
 */
export async function fenceLog(
  copy: LocalCopy,
  { claim, kind, fetched = null }: LogFence,
  ports: FetchPorts,
): Promise<AckMark | null> {
  const isOwn = kind === 'own'
  for (let known = fetched; ; known = null) {
    const mark = known ?? (await fetchLog(copy, ports, isOwn)) ?? (isOwn ? emptyMark(ports.store) : null)
    if (mark === null)
      throw new StorageError({ code: STORE_LOST, operation: `read ${copy.log} from`, path: ports.name })
    if (epochOf(mark.claim) > epochOf(claim)) return null
    const { bytes: end } = mark
    const fence = { from: end, to: end, claim, files: [], object: null, bytes: new Uint8Array() }
    try {
      return { ...mark, sequence: await ports.subject.publish(fence, mark.sequence), claim }
    } catch (error) {
      // Another claim wrote meanwhile: its lines count.
      if (!(error instanceof OutrunError)) throw error
    }
  }
}
