import { isLeft, type OpenConversation } from './open-conversation.ts'
import { createRestWatch } from './rest-watch.ts'
import { createTaskQueue } from './task-queue.ts'

interface Ports {
  /** Gives up what keeps it for this process; it is closed. */
  readonly release: (conversationId: string) => void
  readonly report: (fault: unknown, conversationId: string) => void
}

/** The conversations that are open in this process, and how they are closed. */
export class OpenConversations implements AsyncDisposable {
  /** Opening and closing of one conversation never overlap. */
  readonly inOrder = createTaskQueue()
  readonly #ports: Ports
  readonly #open = new Map<string, OpenConversation>()
  readonly #restWatch = createRestWatch(() => this.#closeLeft())
  /** Being closed; no longer open. */
  #ending = 0
  #whenEmpty: (() => void)[] = []

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get all(): readonly OpenConversation[] {
    return [...this.#open.values()]
  }

  get(conversationId: string): OpenConversation | undefined {
    return this.#open.get(conversationId)
  }

  set(conversationId: string, open: OpenConversation): void {
    this.#open.set(conversationId, open)
  }

  async close(conversationId: string): Promise<void> {
    try {
      await this.end(conversationId)
    } finally {
      this.#ports.release(conversationId)
    }
  }

  /** Closes it, but keeps it for this process. */
  async end(conversationId: string): Promise<void> {
    const open = this.#open.get(conversationId)
    this.#open.delete(conversationId)
    this.#ending += 1
    try {
      await open?.[Symbol.asyncDispose]()
    } finally {
      this.#ending -= 1
      if (this.#isEmpty()) for (const resolve of this.#whenEmpty.splice(0)) resolve()
    }
  }

  /** Closes it once nobody takes part in it and nothing runs in it, so that another process may have it. */
  leave(conversationId: string): Promise<void> {
    return this.inOrder(conversationId, async () => {
      const open = this.#open.get(conversationId)
      if (open === undefined) return
      if (isLeft(open)) await this.close(conversationId)
      else if (open.presence.guests.size === 0) this.#restWatch.start()
    })
  }

  /** The last client of the process has gone: what was not detached ends. Resolves when nothing is open. */
  async abandon(): Promise<void> {
    const ids = this.all.flatMap(({ conversation, presence }) => (presence.detached ? [] : [conversation.id]))
    const closeUnlessJoined = async (id: string) => {
      if (this.#open.get(id)?.presence.guests.size === 0) await this.close(id)
    }
    const ends = await Promise.allSettled(ids.map((id) => this.inOrder(id, () => closeUnlessJoined(id))))
    await this.emptied()
    throwFirst(ends)
  }

  /** Resolves when none is open and none is being closed. */
  async emptied(): Promise<void> {
    if (!this.#isEmpty()) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ids = [...this.#open.keys()]
    const ends = await Promise.allSettled(ids.map((id) => this.inOrder(id, () => this.close(id))))
    this.#restWatch.stop()
    await this.emptied()
    throwFirst(ends)
  }

  #isEmpty(): boolean {
    return this.#open.size + this.#ending === 0
  }

  #closeLeft(): boolean {
    const unattended = this.all.filter(({ presence }) => presence.guests.size === 0)
    for (const { conversation } of unattended.filter(isLeft))
      this.leave(conversation.id).catch((fault: unknown) => this.#ports.report(fault, conversation.id))
    return unattended.length > 0
  }
}

function throwFirst(ends: readonly PromiseSettledResult<void>[]): void {
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
