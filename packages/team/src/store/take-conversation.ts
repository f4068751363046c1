import { randomUUID } from 'node:crypto'
import type { LocalCopy, Shipment, TakenKind } from '@parley/engine/shared-store'
import type { limitConcurrency } from '@parley/host'
import { STORE_LOST, StorageError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { Connected } from './connection/connect-store.ts'
import type { Prepared } from './connection/prepare-store.ts'
import { type AckMark, emptyMark } from './log/ack-mark.ts'
import { type FetchPorts, fetchLog } from './log/fetch-log.ts'
import { type ClaimName, epochOf, OutrunError } from './log/log-subject.ts'
import { type Described, shipLog } from './log/ship-log.ts'
import type { Lists } from './servers/lists.ts'
import type { Nodes } from './servers/nodes.ts'
import { type Claim, claimConversation } from './servers/owners.ts'

interface TakePorts {
  readonly connected: Pick<Connected, 'name' | 'streams'>
  readonly prepared: Prepared
  readonly nodes: Nodes
  readonly onPublished: ((seconds: number) => void) | undefined
  /** Reads a log in its turn. */
  readonly inTurn: ReturnType<typeof limitConcurrency>
  readonly lists: Pick<Lists, 'row'>
  readonly portsOf: (conversationId: ConversationId) => FetchPorts
}

interface Taking {
  readonly kind: TakenKind
  readonly claim: Claim
  /** Mark of the copy where it was brought up to date before the claim. */
  readonly fetched: AckMark | null
}

type Take = (copy: LocalCopy, kind: TakenKind) => Promise<Shipment>

/** Returns what takes the right to write a conversation, and brings the copy of its log up to date. */
export function takesIn({ connected, prepared, nodes, onPublished, inTurn, lists, portsOf }: TakePorts): Take {
  const { id: store, owners, rows } = prepared

  /** Resolves to null where the claim was overtaken before it had any effect. */
  async function shipmentOf(copy: LocalCopy, { kind, claim, fetched }: Taking): Promise<Shipment | null> {
    const { conversationId } = copy
    const ports = portsOf(conversationId)
    const claimName: ClaimName = `${claim.epoch}.${randomUUID()}`
    const mark = kind === 'new' ? emptyMark(store) : await fenceLog(copy, { claim: claimName, kind, fetched }, ports)
    if (mark === null) return null
    const row = kind === 'stored' ? await lists.row(conversationId) : null
    const putRow = async (described: Described) => {
      await rows.put(conversationId, JSON.stringify(described))
    }
    const { files, subject, objects, name } = ports
    return shipLog(copy, mark, {
      ...{ files, subject, objects, name, onPublished },
      ...{ claim, claimName, row, nodes, putRow, isOwn: kind === 'own' },
    })
  }

  return async (copy, kind) => {
    // After a first lost race it looks again for the owner. The numbers of entries grow, so a second one means that
    // they were set back.
    let reading: Promise<AckMark | null> | null = null
    // The log that is read while the lease of a dead server lasts need not be read after it. A failure repeats then.
    const onSilent = () => {
      if (kind === 'stored') reading ??= inTurn(() => fetchLog(copy, portsOf(copy.conversationId))).catch(() => null)
    }
    for (let tries = 0; tries < 2; tries++) {
      const ports = { owners, nodes, streams: connected.streams, onSilent }
      const claim = await claimConversation(ports, copy.conversationId).finally(() => reading)
      const fetched = await reading
      const shipment = await inTurn(() => shipmentOf(copy, { kind, claim, fetched })).catch(async (error: unknown) => {
        await claim.release()
        throw error
      })
      if (shipment !== null) return shipment
    }
    throw new StorageError({ code: STORE_LOST, operation: `take ${copy.conversationId} in`, path: connected.name })
  }
}

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
