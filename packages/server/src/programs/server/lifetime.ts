import type { Engine } from '@parley/engine'

export interface LifetimeOptions {
  /**
   * Condition of the end: `clients` lives as long as it has clients or detached conversations, `service` until a signal
   * or `idleExitMs`.
   */
  readonly kind: 'clients' | 'service'
  /** Time without clients and conversations after which a service ends; null means never. */
  readonly idleExitMs: number | null
  /** Open conversations, which keep a process alive. */
  readonly conversations: Pick<Engine['host'], 'abandon' | 'emptied'>
  /** Called with the fault when a conversation could not be closed; the process ends all the same. */
  readonly onFault: (fault: unknown) => void
}

/** Decides when a server process ends. */
export interface Lifetime {
  /** Called with the number of clients when one has connected or left. */
  changed(clients: number): void
  end(): void
  readonly over: Promise<void>
}

export function createLifetime({ kind, idleExitMs, conversations, onFault }: LifetimeOptions): Lifetime {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let idle: NodeJS.Timeout | undefined
  let changes = 0

  function changed(clients: number): void {
    changes += 1
    const asOf = changes
    clearTimeout(idle)
    if (clients > 0) return
    const rest = kind === 'clients' ? conversations.abandon() : conversations.emptied()
    // A client may connect meanwhile and take over detached conversations.
    void rest.catch(onFault).then(() => asOf === changes && rested())
  }

  function rested(): void {
    if (kind === 'clients') end()
    else if (idleExitMs !== null) idle = setTimeout(end, idleExitMs)
  }

  return { changed, end, over }
}
