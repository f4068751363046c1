/** Work that keeps a process alive. */
interface Work {
  /** Ends what was not detached, after the last client has gone. Resolves when nothing is open. */
  abandon(): Promise<void>
  /** Resolves when nothing is open. */
  emptied(): Promise<void>
}

export interface LifetimeOptions {
  /**
   * Condition of the end: `clients` lives as long as it has clients or detached work, `service` until a signal or
   * `idleExitMs`.
   */
  readonly kind: 'clients' | 'service'
  /** Time without clients and work after which a service ends; null means never. */
  readonly idleExitMs: number | null
  readonly clients: () => number
  readonly work: Work
  /** Called when something could not be closed; the process ends all the same. */
  readonly onFault: (fault: unknown) => void
}

/** Decides when a server process ends. */
export interface Lifetime {
  /** Called when a client has come or gone. */
  changed(): void
  end(): void
  readonly over: Promise<void>
}

export function createLifetime({ kind, idleExitMs, clients, work, onFault }: LifetimeOptions): Lifetime {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let idle: NodeJS.Timeout | undefined
  let changes = 0

  function changed(): void {
    changes += 1
    const asOf = changes
    clearTimeout(idle)
    if (clients() > 0) return
    const rest = kind === 'clients' ? work.abandon() : work.emptied()
    // A client may come meanwhile and take over what was detached.
    void rest.catch(onFault).then(() => asOf === changes && rested())
  }

  function rested(): void {
    if (kind === 'clients') end()
    else if (idleExitMs !== null) idle = setTimeout(end, idleExitMs)
  }

  return { changed, end, over }
}
