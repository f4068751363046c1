import { type Files, type SessionPaths, StorageError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { RpcError } from '@parley/rpc'
import type { ConversationOwner } from '../conversation/conversation.ts'
import { keptContents } from '../history/kept-contents.ts'
import type { OpenConversation, OpenLog } from '../load/conversation-parts.ts'
import {
  HeldElsewhereError,
  type Holder,
  type LocalCopy,
  type SharedStore,
  type Shipment,
} from '../ports/shared-store.ts'
import { rejection } from '../replies/rejection.ts'
import type { CarriedGrants } from '../settings/user-grants.ts'
import { grantsIn, shareJournal } from './shared-journal.ts'

/** Conversations of the store that servers share; without a store it has no conversations. */
export interface Sharing {
  /**
   * Takes the right to write a conversation, and brings the copy of a stored one up to date. Resolves to null where
   * there is no store. Rejects with `liveElsewhere` while another server has it.
   */
  take(paths: SessionPaths, conversationId: ConversationId, kind: 'new' | 'stored'): Promise<Shipment | null>
  /** Resolves to the rejection `liveElsewhere` where another server has a conversation; else null. */
  elsewhere(conversationId: ConversationId): Promise<RpcError | null>
  /** Brings the copy of a conversation up to date for reading. The caller holds its lock. */
  refresh(paths: SessionPaths, conversationId: ConversationId): Promise<void>
  /** Stores the log of a conversation that was written as a whole. */
  publish(paths: SessionPaths, conversationId: ConversationId): Promise<void>
  /** Removes a conversation that is closed here from the store. Rejects with `liveElsewhere` while another server has it. */
  remove(conversationId: ConversationId): Promise<void>
  /** Redirects clients that open a conversation here while another server opens it; ends when that server dies. */
  passOn(conversationId: ConversationId, to: Holder): void
}

/** Time for clients to open a conversation where it was passed on to. */
const passingMs = 30_000

export function createSharing(store: SharedStore | null, files: Files, carriedGrants: CarriedGrants): Sharing {
  return store === null ? notShared(files) : sharedIn(store, files, carriedGrants)
}

/** A copy of a conversation of a store is not written without it: the store would know nothing of that. */
function notShared(files: Files): Sharing {
  return {
    async take({ acked }, conversationId) {
      if (files.look(acked) === null) return null
      throw rejection(
        'storageFailed',
        `Conversation ${conversationId} is kept in a store that servers share, and this server was started without one. Start it with --store, or view or fork what this machine has.`,
      )
    },
    elsewhere: async () => null,
    refresh: async () => undefined,
    publish: async () => undefined,
    remove: async () => undefined,
    passOn: () => undefined,
  }
}

function sharedIn(store: SharedStore, files: Files, carriedGrants: CarriedGrants): Sharing {
  const passed = new Map<ConversationId, { readonly to: Holder; readonly untilMs: number }>()

  /** Resolves to the server that clients are sent to, as long as it lives. */
  async function passedTo(conversationId: ConversationId): Promise<Holder | null> {
    const passing = passed.get(conversationId)
    if (passing === undefined || performance.now() >= passing.untilMs) return null
    const others = await store.servers.others()
    return others.some(({ node }) => node === passing.to.node) ? passing.to : null
  }

  async function take(paths: SessionPaths, conversationId: ConversationId, kind: 'new' | 'stored'): Promise<Shipment> {
    try {
      const to = await passedTo(conversationId)
      if (to !== null) throw new HeldElsewhereError(conversationId, to)
      passed.delete(conversationId)
      return await store.take(copyAt(paths, conversationId), kind)
    } catch (error) {
      throw error instanceof HeldElsewhereError ? heldElsewhere(conversationId, error) : error
    }
  }

  /** Takes a stored conversation with what people gave it at other servers. */
  async function takeWithGrants(paths: SessionPaths, conversationId: ConversationId): Promise<Shipment> {
    const shipment = await take(paths, conversationId, 'stored')
    try {
      carriedGrants.receive(conversationId, grantsIn(shipment.row))
      return shipment
    } catch (error) {
      await giveUp(shipment)
      throw error
    }
  }

  return {
    take: (paths, conversationId, kind) =>
      kind === 'new' ? take(paths, conversationId, kind) : takeWithGrants(paths, conversationId),
    async elsewhere(conversationId) {
      const holder = await store.holder(conversationId)
      return holder === null ? null : heldElsewhere(conversationId, { holder })
    },
    async refresh(paths, conversationId) {
      if (await store.copies.refresh(copyAt(paths, conversationId)))
        carriedGrants.receive(conversationId, grantsIn(await store.lists.row(conversationId)))
    },
    async publish(paths, conversationId) {
      const shipment = await take(paths, conversationId, 'new')
      const sizeBytes = files.look(paths.log)?.sizeBytes ?? 0
      shipment.wrote(sizeBytes)
      await shipment.acknowledged(sizeBytes).finally(() => giveUp(shipment))
    },
    async remove(conversationId) {
      await store.remove(conversationId).catch((error: unknown) => {
        throw error instanceof HeldElsewhereError ? heldElsewhere(conversationId, error) : error
      })
    },
    passOn: (conversationId, to) => void passed.set(conversationId, { to, untilMs: performance.now() + passingMs }),
  }
}

export function copyAt({ log, sideFiles, acked, snapshots }: SessionPaths, conversationId: ConversationId): LocalCopy {
  return { conversationId, log, sideFiles, acked, contents: keptContents(snapshots) }
}

export function heldElsewhere(
  conversationId: ConversationId,
  { holder: { address } }: Pick<HeldElsewhereError, 'holder'>,
): RpcError {
  const next =
    address === null ? 'View it read-only, or fork it.' : `Connect to ${address}, view it read-only, or fork it.`
  return rejection('liveElsewhere', `Conversation ${conversationId} is open on another server. ${next}`, {
    conversationId,
    socket: null,
    ...(address === null ? {} : { address }),
  })
}

/** Returns the log of a conversation that a shipment sends to the store. */
export function shareLog(
  { parts: { state }, log: { journal, startJournal, dispose } }: OpenConversation,
  shipment: Shipment,
  carriedGrants: CarriedGrants,
): OpenLog {
  const { conversationId } = state.core.meta
  const sharing = { shipment, grants: carriedGrants.readerOf(conversationId), state }
  let isStarted = journal !== null
  return {
    owner: ownerOf(conversationId, shipment),
    journal: journal === null ? null : shareJournal(journal, sharing),
    ...(startJournal === undefined
      ? {}
      : {
          startJournal() {
            isStarted = true
            return shareJournal(startJournal(), sharing)
          },
        }),
    dispose() {
      dispose()
      if (!isStarted) void giveUp(shipment)
    },
  }
}

/** Returns the right to a conversation that a shipment proves. */
export function ownerOf(conversation: ConversationId, shipment: Shipment): ConversationOwner {
  const { epoch, mayAct, assertMayAct, taken } = shipment
  return {
    fence: { conversation, epoch },
    mayAct,
    assertMayAct,
    taken,
    get ended() {
      const { trouble } = shipment
      return trouble?.retryable === false ? trouble : null
    },
  }
}

/** Gives up a conversation after its last line was sent. */
export async function giveUp(shipment: Shipment | null): Promise<void> {
  try {
    await shipment?.close()
  } catch (error) {
    // The trouble that led here is reported.
    if (!(error instanceof StorageError)) throw error
  }
}
