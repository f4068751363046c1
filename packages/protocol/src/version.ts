/**
 * Protocol versions this build supports; both sides send a range and the highest common one is used. Version 2 renamed
 * types and fields of version 1, so a server of one cannot serve a client of the other.
 */
export const protocolVersions = { min: 2, max: 2 } as const

/** Version of the events that this build writes into logs; `upgradeEvent` reads the earlier ones. */
export const eventVersion = 2

/** Raise it when `reduce` makes another state of an old log: a checkpoint of another version is not used. */
export const reducerVersion = 5
