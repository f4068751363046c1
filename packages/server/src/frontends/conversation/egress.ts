import { type Conversation, deliverableText } from '@parley/engine'
import { envelopeText, type Line } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { notificationLine } from '@parley/rpc'

/** Limit of unsent bytes, above which a client's cursor waits; the log holds the rest. */
const unreadLimit = 1 << 20

export interface EgressPeer {
  sendLine(line: string): void
  readonly bufferedBytes: number
  drained(): Promise<void>
}

/**
 * Delivers a conversation's events to one client, each once and in order. Its cursor moves through the log at the
 * client's pace, so delivery never blocks the engine and drops nothing.
 */
export interface Egress {
  /** Starts delivery after `seq`. */
  start(seq: number): void
  stop(): void
}

interface EgressPorts {
  /** Tells if the client may read the conversation now: asked before each delivery. */
  readonly mayRead: () => boolean
  /** Called once when it may not any more. */
  readonly onLost: () => void
  readonly onFault: (fault: unknown) => void
}

export function createEgress(peer: EgressPeer, conversation: Conversation, ports: EgressPorts): Egress {
  const { mayRead, onLost, onFault } = ports
  const notification = sharedBy(conversation)
  let cursor = 0
  let pumping = false
  let stopped = false
  let unsubscribe: (() => void) | null = null

  function wake(): void {
    if (pumping || stopped || isLost()) return
    if (sendRecent()) return
    pumping = true
    pump().catch((fault: unknown) => {
      stopped = true
      onFault(fault)
    })
  }

  /** Stops delivery once the client may not read any more, in the middle of a log, too. */
  function isLost(): boolean {
    if (mayRead()) return false
    stopped = true
    onLost()
    return true
  }

  /** Sends new lines that are all still in memory. Returns false when the client or the disk has to be waited for. */
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
      if (stopped || isLost() || sendRecent()) continue
      const { published } = conversation.feed
      const before = cursor
      await sendFromLog()
      // The next event waits for the disk; its publication calls `wake`.
      if (cursor === before && conversation.feed.published === published) break
    }
    // Set in the tick of the last check: an event published in between would otherwise wait for the next one.
    pumping = false
  }

  async function sendFromLog(): Promise<void> {
    for await (const lines of conversation.olderLines(cursor)) {
      for (const line of lines) {
        if (stopped || line.seq > conversation.feed.published || isLost()) return
        send(line, (older) => notificationOf(conversation.id, deliverableText(older)))
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

function notificationOf(conversationId: ConversationId, lineText: string): string {
  return notificationLine('conversation/event', envelopeText(conversationId, lineText))
}

const shared = new WeakMap<Conversation, ReturnType<typeof createSharedNotifications>>()

/** Returns the notifications that all clients of a conversation share. */
function sharedBy(conversation: Conversation) {
  const known = shared.get(conversation) ?? createSharedNotifications(conversation.id)
  shared.set(conversation, known)
  return known
}

const keptCharacters = 1 << 20

/**
 * Creates the function that makes notifications of lines. Clients share the texts of the newest lines, since joining
 * long text costs as much as sending it.
 */
function createSharedNotifications(conversationId: ConversationId): (line: Line) => string {
  const kept = new Map<number, string>()
  let characters = 0

  function keep(seq: number, text: string): void {
    for (const [oldest, { length }] of kept) {
      if (characters + text.length <= keptCharacters) break
      kept.delete(oldest)
      characters -= length
    }
    kept.set(seq, text)
    characters += text.length
  }

  /** Lets all go: at the end of a turn, behind which nothing may follow for hours. */
  function clear(): void {
    kept.clear()
    characters = 0
  }

  return ({ seq, type, elidedText }) => {
    const known = kept.get(seq)
    if (known !== undefined) return known
    const text = notificationOf(conversationId, elidedText)
    if (type === 'turn.ended') clear()
    keep(seq, text)
    return text
  }
}
