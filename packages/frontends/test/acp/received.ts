/** Messages in the order in which they came, and those who wait for one. */
export interface Received<Message> {
  readonly all: readonly Message[]
  add(message: Message): void
  /** Resolves with the first message that fits, also one that is there. */
  until<Wanted extends Message>(fits: (message: Message) => message is Wanted): Promise<Wanted>
}

export function createReceived<Message>(): Received<Message> {
  const all: Message[] = []
  const waiters = new Set<() => void>()
  return {
    all,
    add(message) {
      all.push(message)
      for (const look of waiters) look()
    },
    until: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = all.find(fits)
          if (found === undefined) return
          waiters.delete(look)
          resolve(found)
        }
        waiters.add(look)
        look()
      }),
  }
}
