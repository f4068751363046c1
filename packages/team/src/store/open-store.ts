import type { SharedStore } from '@parley/engine/shared-store'
import { limitConcurrency } from '@parley/host'
import type { Files } from '@parley/journal'
import { connectStore, nameOf, type StoreAddress, UnusableStoreError } from './connection/connect-store.ts'
import { prepareStore } from './connection/prepare-store.ts'
import { isElecting } from './connection/store-trouble.ts'
import { type OpeningWait, whileOpening } from './connection/while-electing.ts'
import { holdLease } from './servers/nodes.ts'
import { createSharedStore } from './shared-store.ts'

/** Logs that are brought up to date at once: more would hold up the renewal of the lease. */
const readAtOnce = 32

export interface StoreOptions extends StoreAddress {
  /** Number of servers that each message is kept by before it is acknowledged. */
  readonly replicas: number
  readonly files: Files
  /** Called with the time that each message took to be acknowledged, in seconds. */
  readonly onPublished?: (seconds: number) => void
  /** Wait while it cannot be opened; default: for as long as its servers take to elect, without a word. */
  readonly wait?: OpeningWait
}

/**
 * Opens a store on NATS JetStream, and makes a new one where it does not exist. Waits while its servers elect, or
 * cannot be reached. Rejects with `UnusableStoreError`.
 */
export function openStore(options: StoreOptions): Promise<SharedStore> {
  const { wait = { onAway: () => undefined, isPatient: false } } = options
  let isConnected = false
  const open = () => {
    isConnected = false
    return tryStore(options, () => {
      isConnected = true
    })
  }
  const state = () =>
    isConnected ? 'is being opened: a new one is made first, which takes seconds' : 'does not answer'
  return whileOpening(open, wait, () => `The store ${nameOf(options)} ${state()}.`)
}

async function tryStore(
  { replicas, files, onPublished, ...address }: StoreOptions,
  onConnected: () => void,
): Promise<SharedStore> {
  const connected = await connectStore(address)
  onConnected()
  try {
    const prepared = await prepareStore(connected, replicas)
    const nodes = await holdLease(prepared.nodes, () => connected.connection.reconnect())
    return createSharedStore(connected, { prepared, nodes, files, onPublished, inTurn: limitConcurrency(readAtOnce) })
  } catch (error) {
    await connected.connection.close()
    if (error instanceof UnusableStoreError) throw error
    const passes = isElecting(error)
    const reason = passes ? 'is not ready: its servers start, or elect' : `cannot be opened (${String(error)})`
    throw new UnusableStoreError(`The store ${connected.name} ${reason}.`, { cause: error, passes })
  }
}
