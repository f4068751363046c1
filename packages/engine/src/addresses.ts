/** Addresses that a server listens on. */
export interface Addresses {
  /** Socket that other processes find the owner of a conversation by. */
  readonly socket: string | null
  readonly others: readonly string[]
  /** Websocket by which clients of servers of the same store reach this one; absent or null for none. */
  readonly announced?: string | null
  /** Origin at which browsers find the page of a server with users; absent or null for none. */
  readonly page?: string | null
}

/** Returns the addresses as diagnostics name them. */
export function namedAddresses({ socket, others }: Addresses): string[] {
  return [...(socket === null ? [] : [socket]), ...others]
}
