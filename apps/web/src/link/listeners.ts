export interface Listeners {
  /** Calls the listener at each change. Returns the function that removes it. */
  subscribe(listener: () => void): () => void
  callAll(): void
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    callAll() {
      for (const listener of listeners) listener()
    },
  }
}
