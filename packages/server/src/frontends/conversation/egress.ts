import { type Line, notificationLine } from '@parley/journal'
import type { Conversation } from '../../engine/conversation.ts'
import { deliverableText } from '../../engine/deliverable.ts'
import { createSharedNotifications } from './shared-notifications.ts'

/** Bytes a client may leave unread before its cursor waits; the log holds the rest. */
const unreadLimit = 1 << 20

export interface EgressPeer {
  sendLine(line: string): void
  readonly bufferedBytes: number
  drained(): Promise<void>
}

/**
 * Delivers a conversation's events to one client, each once and in order. Its cursor walks the log at the client's
 * pace: it never blocks the engine, never drops, and holds at most what the client has not read.
 */
export interface Egress {
  /** Begins delivery after `seq`. */
  start(seq: number): void
  stop(): void
}

export function createEgress(peer: EgressPeer, conversation: Conversation, onFault: (fault: unknown) => void): Egress {
  const notification = sharedBy(conversation)
  let cursor = 0
  let pumping = false
  let stopped = false
  let unsubscribe: (() => void) | null = null

  function wake(): void {
    if (pumping || stopped) return
    if (sendRecent()) return
    pumping = true
    pump().catch((fault: unknown) => {
      stopped = true
      onFault(fault)
    })
  }

  /** The fast path: all that is new is in memory and the client reads. False when it has to be waited for. */
  function sendRecent(): boolean {
    const lines = conversation.feed.recentAfter(cursor)
    if (lines === null) return false
    for (const line of lines) {
      if (peer.bufferedBytes > unreadLimit) return false
      send(line, notification)
    }
    return true
  }

  function send(line: Line, asNotification: (line: Line) => string): void {
    peer.sendLine(asNotification(line))
    cursor = line.seq
  }

  async function pump(): Promise<void> {
    while (!stopped && cursor < conversation.feed.published) {
      await peer.drained()
      if (stopped || sendRecent()) continue
      const { published } = conversation.feed
      const before = cursor
      await sendFromLog()
      // What comes next waits for the disk, and wakes us when it is there.
      if (cursor === before && conversation.feed.published === published) break
    }
    // In the same tick as the last look: an event published in between would wait for the next one.
    pumping = false
  }

  async function sendFromLog(): Promise<void> {
    for await (const lines of conversation.olderLines(cursor)) {
      for (const line of lines) {
        if (stopped || line.seq > conversation.feed.published) return
        send(line, (older) => notificationLine(conversation.id, deliverableText(older)))
      }
      if (peer.bufferedBytes > unreadLimit) await peer.drained()
      if (conversation.feed.recentAfter(cursor) !== null) return
    }
  }

  return {
    start(seq) {
      if (stopped) return
      cursor = seq
      unsubscribe ??= conversation.feed.subscribe(wake, { cursor: () => cursor })
      wake()
    },
    stop() {
      stopped = true
      unsubscribe?.()
    },
  }
}

const shared = new WeakMap<Conversation, ReturnType<typeof createSharedNotifications>>()

/** What all who follow a conversation send. */
function sharedBy(conversation: Conversation) {
  const known = shared.get(conversation) ?? createSharedNotifications(conversation.id)
  shared.set(conversation, known)
  return known
}
