/** What a process has to do yet before it may leave. */
export interface Work {
  /** The last client has gone: ends what was not detached. Resolves when nothing is open. */
  abandon(): Promise<void>
  /** Resolves when nothing is open. */
  emptied(): Promise<void>
}

export interface LifetimeOptions {
  /** `clients`: as long as it has any, or what one detached. `service`: until it is told to end, or is idle. */
  readonly kind: 'clients' | 'service'
  /** How long a service without clients and work waits for new ones; null: for ever. */
  readonly idleExitMs: number | null
  readonly clients: () => number
  readonly work: Work
  /** Something could not be closed as it should; it is not waited for. */
  readonly onFault: (fault: unknown) => void
}

/** How long a server process lives. */
export interface Lifetime {
  /** A client has come or gone. */
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
    // Someone may come meanwhile, and what is detached may be taken back and left for good.
    void rest.catch(onFault).then(() => asOf === changes && rested())
  }

  function rested(): void {
    if (kind === 'clients') end()
    else if (idleExitMs !== null) idle = setTimeout(end, idleExitMs)
  }

  return { changed, end, over }
}
