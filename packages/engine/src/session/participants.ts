import type { ClientAccess, ClientId } from '@parley/protocol'

/** Client that follows the events of a conversation. */
interface Follower {
  readonly clientId: ClientId
  readonly access: ClientAccess
  readonly canApprove: boolean
  /** True for a client that shows a reached limit and lets its user go on. */
  readonly canRaiseLimits: boolean
  /** Called with the number of followers when others join or leave. */
  readonly counted: (followers: number) => void
  /** Ends the delivery of events; removes the follower, too. */
  readonly end: () => void
}

/** Clients that take part in an open conversation. */
export interface Participants {
  /** True while a connection that opened or follows the conversation has not left. */
  readonly hasGuests: boolean
  join(guest: object): void
  /** Removes a guest. Returns false when it took no part. */
  leave(guest: object): boolean
  /** Adds a follower and returns the function that removes it. One with full access ends a detachment. */
  follow(follower: Follower): () => void
  readonly followerCount: number
  /** Ids of the followers that can answer an approval now. */
  readonly answerers: readonly ClientId[]
  /** True while a follower can let its user go on beyond a limit. */
  readonly canRaiseLimits: boolean
  /** True where clients take part and none has a user to wait with them; clients that only read do not count. */
  readonly onlyScripts: boolean
  endDeliveries(): void
  /** True when running work continues after the last client of the server has left. */
  readonly detached: boolean
  detach(): void
}

export function createParticipants(): Participants {
  const guests = new Set<object>()
  const followers = new Set<Follower>()
  let detached = false
  const tellOthers = (changed: Follower) => {
    for (const follower of followers) if (follower !== changed) follower.counted(followers.size)
  }
  return {
    get hasGuests() {
      return guests.size > 0
    },
    join: (guest) => void guests.add(guest),
    leave: (guest) => guests.delete(guest),
    follow(follower) {
      followers.add(follower)
      if (follower.access === 'full') detached = false
      tellOthers(follower)
      return () => {
        if (followers.delete(follower)) tellOthers(follower)
      }
    },
    get followerCount() {
      return followers.size
    },
    get answerers() {
      return [...followers].filter(({ canApprove }) => canApprove).map(({ clientId }) => clientId)
    },
    get canRaiseLimits() {
      return [...followers].some(({ canRaiseLimits }) => canRaiseLimits)
    },
    get onlyScripts() {
      const taking = [...followers].filter(({ access }) => access === 'full')
      return taking.length > 0 && !taking.some(({ canRaiseLimits }) => canRaiseLimits)
    },
    endDeliveries() {
      for (const { end } of followers) end()
    },
    get detached() {
      return detached
    },
    detach() {
      detached = true
    },
  }
}
