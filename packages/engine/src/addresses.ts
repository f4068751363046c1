/** Addresses that a server listens on. */
export interface Addresses {
  /** Socket that other processes find the owner of a conversation by. */
  readonly socket: string | null
  readonly others: readonly string[]
  /**
   * Websocket address of this server for clients of other servers of its store; absent or null where it has no such
   * address.
   */
  readonly announced?: string | null
  /** Origin at which browsers find the page of a server with users; absent or null where it serves no page. */
  readonly page?: string | null
}

/** Returns the addresses as diagnostics name them. */
export function namedAddresses({ socket, others }: Addresses): string[] {
  return [...(socket === null ? [] : [socket]), ...others]
}
