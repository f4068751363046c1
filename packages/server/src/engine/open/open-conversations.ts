import { isLeft, type LiveConversation } from './live-conversation.ts'

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
  readonly #open = new Map<string, LiveConversation>()
  readonly #restWatch = createIdlePoll(() => this.#closeLeft())
  /** Being closed; no longer open. */
  #ending = 0
  #whenEmpty: (() => void)[] = []

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get all(): readonly LiveConversation[] {
    return [...this.#open.values()]
  }

  get(conversationId: string): LiveConversation | undefined {
    return this.#open.get(conversationId)
  }

  set(conversationId: string, open: LiveConversation): void {
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
      else if (open.clients.guests.size === 0) this.#restWatch.start()
    })
  }

  /** The last client of the process has gone: what was not detached ends. Resolves when nothing is open. */
  async abandon(): Promise<void> {
    const ids = this.all.flatMap(({ conversation, clients }) => (clients.detached ? [] : [conversation.id]))
    const closeUnlessJoined = async (id: string) => {
      if (this.#open.get(id)?.clients.guests.size === 0) await this.close(id)
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
    const unattended = this.all.filter(({ clients }) => clients.guests.size === 0)
    for (const { conversation } of unattended.filter(isLeft))
      this.leave(conversation.id).catch((fault: unknown) => this.#ports.report(fault, conversation.id))
    return unattended.length > 0
  }
}

function throwFirst(ends: readonly PromiseSettledResult<void>[]): void {
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Runs the tasks of one key one after the other; those of different keys do not wait for each other. */
type TaskQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

export function createTaskQueue(): TaskQueue {
  const tails = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const before = tails.get(key) ?? Promise.resolve()
    const result = before.then(task, task)
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
    tails.set(key, tail)
    return result
  }
}

const beatMs = 250

/**
 * Looks again and again while `look` says that there is something to wait for. What runs in a conversation ends in many
 * ways (a turn, a command of the user, a background process), and nobody is in a hurry: nobody follows it.
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
