import { createInOrder } from '@parley/host'
import type { ConversationId } from '@parley/protocol'
import { isLeft, type Lifetime, type LiveConversation } from './live-conversation.ts'

interface CloseReports {
  /** Releases the lock of a closed conversation. */
  readonly release: (conversationId: ConversationId) => void
  readonly report: (fault: unknown, conversationId: ConversationId) => void
}

/** Conversations that are open in this process; closes them when they are left. */
export class OpenConversations implements AsyncDisposable {
  /** Runs tasks of one conversation in order, so that opening and closing never overlap. */
  readonly inOrder = createInOrder()
  readonly #ports: CloseReports
  readonly #open = new Map<ConversationId, LiveConversation>()
  readonly #idlePoll = createIdlePoll(() => this.#closeLeft())
  /** Number of conversations that are being closed. */
  #ending = 0
  #whenEmpty: (() => void)[] = []

  constructor(ports: CloseReports) {
    this.#ports = ports
  }

  get all(): readonly LiveConversation[] {
    return [...this.#open.values()]
  }

  get(conversationId: ConversationId): LiveConversation | undefined {
    return this.#open.get(conversationId)
  }

  set(conversationId: ConversationId, open: LiveConversation): void {
    this.#open.set(conversationId, open)
  }

  close(conversationId: ConversationId): Promise<void> {
    return this.#released(conversationId, this.end(conversationId))
  }

  /** Closes a conversation so that another server goes on with its turn, where servers share it. */
  handOver(conversationId: ConversationId): Promise<void> {
    return this.#released(
      conversationId,
      this.#ended(conversationId, (open) => open.handOver()),
    )
  }

  async #released(conversationId: ConversationId, closing: Promise<void>): Promise<void> {
    try {
      await closing
    } finally {
      this.#ports.release(conversationId)
    }
  }

  /** Closes a conversation that another server has taken, which goes on with its commands. What could not be stored is reported, and was shown to nobody. */
  async closeTaken(conversationId: ConversationId): Promise<void> {
    await this.handOver(conversationId).catch(() => undefined)
  }

  /** Closes a conversation without releasing its lock. */
  end(conversationId: ConversationId): Promise<void> {
    return this.#ended(conversationId, (open) => open[Symbol.asyncDispose]())
  }

  async #ended(conversationId: ConversationId, close: (open: Lifetime) => PromiseLike<void>): Promise<void> {
    const open = this.#open.get(conversationId)
    this.#open.delete(conversationId)
    this.#ending += 1
    try {
      if (open !== undefined) await close(open)
    } finally {
      this.#ending -= 1
      if (this.#isEmpty()) for (const resolve of this.#whenEmpty.splice(0)) resolve()
    }
  }

  /** Closes a conversation without participants and running work, so that another process may open it. */
  leave(conversationId: ConversationId): Promise<void> {
    return this.inOrder(conversationId, async () => {
      const open = this.#open.get(conversationId)
      if (open === undefined) return
      if (isLeft(open)) await this.close(conversationId)
      else if (!open.clients.hasGuests) this.#idlePoll.start()
    })
  }

  /**
   * Closes every conversation that was not detached, after the last client has left. Resolves when no conversation is
   * open.
   */
  async abandon(): Promise<void> {
    const ids = this.all.flatMap(({ conversation, clients }) => (clients.detached ? [] : [conversation.id]))
    const closeUnlessJoined = async (id: ConversationId) => {
      if (this.#open.get(id)?.clients.hasGuests === false) await this.close(id)
    }
    const ends = await Promise.allSettled(ids.map((id) => this.inOrder(id, () => closeUnlessJoined(id))))
    await this.emptied()
    throwFirst(ends)
  }

  /** Resolves when no conversation is open or being closed. */
  async emptied(): Promise<void> {
    if (!this.#isEmpty()) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ids = [...this.#open.keys()]
    const ends = await Promise.allSettled(ids.map((id) => this.inOrder(id, () => this.handOver(id))))
    this.#idlePoll.stop()
    await this.emptied()
    throwFirst(ends)
  }

  #isEmpty(): boolean {
    return this.#open.size + this.#ending === 0
  }

  #closeLeft(): boolean {
    const unattended = this.all.filter(({ clients }) => !clients.hasGuests)
    for (const { conversation } of unattended.filter(isLeft))
      this.leave(conversation.id).catch((fault: unknown) => this.#ports.report(fault, conversation.id))
    return unattended.length > 0
  }
}

function throwFirst(ends: readonly PromiseSettledResult<void>[]): void {
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

const beatMs = 250

/**
 * Creates a poll that runs while `look` returns true. Work ends in many ways (turn, shell command, background process),
 * and closing a conversation without participants is not urgent.
 */
function createIdlePoll(look: () => boolean): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const beat = () => {
    if (!look()) stop()
  }
  return {
    start() {
      timer ??= setInterval(beat, beatMs).unref()
    },
    stop,
  }
}
